import Module, { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { Script } from 'node:vm'
import { zlib } from './builtins.ts'
import { writeCache } from './files/durable.ts'
import { readFile } from './files/fs.ts'

/**
 * Loads a program from beside this one, with what V8 made of its functions when it was built. Node's own cache holds
 * only what is compiled before anything runs: each command would compile hundreds of functions anew.
 */
export function loadProgram(file: string): void {
  const kept = join(dirname(file), 'compile', `${basename(file)}-${process.version}-${process.arch}.kept`)
  const loaded = isKeeping() ? (withKept(file, kept) ?? withNothing(file)) : withKept(file, kept)
  if (loaded === undefined) return void createRequire(file)(file)
  if (isKeeping()) process.once('exit', () => keep(loaded, kept))
  const module = { exports: {} }
  loaded.script
    .runInThisContext()
    .call(module.exports, module.exports, createRequire(file), module, file, dirname(file))
}

/** Whether what V8 makes of the functions that run now is wanted, besides what is kept already. */
export const isKeeping = (): boolean => process.env['TIMEWARP_KEEP_COMPILED'] === 'yes'

interface Loaded {
  readonly script: Script
  /** By which the program is known. */
  readonly sum: number
}

/** Two checksums come first: of the program, which V8 tells from another by its length alone, and of what follows. */
const HEAD = 8

/** Undefined when nothing is kept, or what is does not fit or is damaged: V8 would run it all the same. */
function withKept(file: string, kept: string): Loaded | undefined {
  const data = readQuietly(kept)
  if (data === undefined || data.length < HEAD) return undefined
  const code = data.subarray(HEAD)
  const source = readFile(file) ?? Buffer.alloc(0)
  const sum = zlib().crc32(source)
  if (data.readUInt32LE(0) !== sum || data.readUInt32LE(4) !== zlib().crc32(code)) return undefined
  const script = scriptOf(file, source, code)
  return script.cachedDataRejected ? undefined : { script, sum }
}

function withNothing(file: string): Loaded {
  const source = readFile(file) ?? Buffer.alloc(0)
  return { script: scriptOf(file, source, undefined), sum: zlib().crc32(source) }
}

/** Programs are ASCII; to find that out would take as long as to read them. */
const scriptOf = (filename: string, source: Buffer, cachedData: Buffer | undefined): Script =>
  new Script(Module.wrap(source.toString('latin1')), { filename, cachedData })

function readQuietly(file: string): Buffer | undefined {
  try {
    return readFile(file)
  } catch {
    return undefined
  }
}

/** Where it cannot be written, commands are as good without it. */
function keep({ script, sum }: Loaded, file: string): void {
  const code = script.createCachedData()
  const head = Buffer.alloc(HEAD)
  head.writeUInt32LE(sum, 0)
  head.writeUInt32LE(zlib().crc32(code), 4)
  try {
    writeCache(file, Buffer.concat([head, code]))
  } catch {
    // The build looks whether it is there.
  }
}
