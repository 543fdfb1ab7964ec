import { writeFileSync } from 'node:fs'
import Module, { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { readFile } from './fs.ts'

/**
 * Loads a program from beside this one, with what V8 made of its functions when it was built. Node's own cache holds
 * only what is compiled before anything runs: each command would compile hundreds of functions anew.
 */
export function loadProgram(file: string): void {
  const kept = join(dirname(file), 'compile', `${basename(file)}.kept`)
  const script = withKept(file, kept)
  if (script === undefined) return void createRequire(file)(file)
  if (isKeeping()) process.once('exit', () => keep(script, kept))
  const module = { exports: {} }
  script.code.runInThisContext().call(module.exports, module.exports, createRequire(file), module, file, dirname(file))
}

/** Whether what V8 makes of the functions that run now is wanted, besides what is kept already. */
export const isKeeping = (): boolean => process.env['TIMEWARP_KEEP_COMPILED'] === 'yes'

interface Loaded {
  readonly code: Script
  readonly mark: string
}

/**
 * V8 tells the code of another program by its length alone; therefore a program ends with a mark of its content, and
 * what is kept begins with it. Undefined when nothing that fits is there.
 */
function withKept(file: string, kept: string): Loaded | undefined {
  const data = readQuietly(kept)
  if (data === undefined && !isKeeping()) return undefined
  // Programs are ASCII; to find that out would take as long as to read them.
  const source = readFile(file)?.toString('latin1') ?? ''
  const mark = source.slice(-MARK)
  const cachedData = data?.toString('latin1', 0, MARK) === mark ? data.subarray(MARK) : undefined
  if (cachedData === undefined && !isKeeping()) return undefined
  const code = new Script(Module.wrap(source), { filename: file, cachedData })
  return code.cachedDataRejected ? undefined : { code, mark }
}

/** How long the mark is; the build puts it there. */
const MARK = 32

function readQuietly(file: string): Buffer | undefined {
  try {
    return readFile(file)
  } catch {
    return undefined
  }
}

const keep = ({ code, mark }: Loaded, file: string): void =>
  writeFileSync(file, Buffer.concat([Buffer.from(mark), code.createCachedData()]))
