import { join } from 'node:path'
import { writeCache } from '../../host/files/durable.ts'
import { readFile } from '../../host/files/fs.ts'
import { askProgram, findProgram } from '../../host/processes/programs.ts'

/** The programs that are asked for their version, with which arguments, and which part of the output is the version. */
const ASKED = {
  node: { names: ['node'], args: ['--version'], version: /(v\d[^\s]*)/ },
  python: { names: ['python3', 'python'], args: ['--version'], version: /(\d[^\s]*)/ },
  go: { names: ['go'], args: ['version'], version: /go(\d[^\s]*)/ },
} as const

type Cache = Record<string, { readonly signature: string; readonly version: string | null }>

/**
 * The versions of the programs a project is likely to be run with; null for those that are missing. Running one takes
 * some milliseconds, so each version is cached until the program's file changes.
 */
export function environmentOf(home: string): Record<string, string | null> {
  const file = join(home, 'cache', 'programs.json')
  const cache = readCache(file)
  const fresh: Cache = {}
  for (const [key, { names, args, version }] of Object.entries(ASKED)) {
    const program = names.map(findProgram).find((found) => found !== undefined)
    const signature = program?.signature ?? ''
    const known = cache[key]
    const ask = (): string | null => (program && version.exec(askProgram(program.path, args, home) ?? '')?.[1]) ?? null
    fresh[key] = known?.signature === signature ? known : { signature, version: ask() }
  }
  if (JSON.stringify(fresh) !== JSON.stringify(cache)) writeCache(file, Buffer.from(JSON.stringify(fresh)))
  return Object.fromEntries(Object.entries(fresh).map(([key, { version }]) => [key, version]))
}

function readCache(file: string): Cache {
  try {
    return JSON.parse(readFile(file)?.toString() ?? '{}') as Cache
  } catch {
    return {}
  }
}
