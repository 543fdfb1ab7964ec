import { hash } from 'node:crypto'
import * as fs from 'node:fs'

/** The paths below two folders that are not alike, each with what is different; the first first. */
export function differences(a: string, b: string): readonly string[] {
  return [...below(a, b, Buffer.alloc(0))]
}

function* below(a: string, b: string, at: Buffer): Generator<string> {
  const names = new Map([...namesIn(a, at), ...namesIn(b, at)].map((name) => [name.toString('latin1'), name]))
  for (const name of [...names.values()].toSorted((x, y) => Buffer.compare(x, y))) {
    const path = at.length === 0 ? name : Buffer.concat([at, Buffer.from('/'), name])
    const [here, there] = [describe(a, path), describe(b, path)]
    if (here.text !== there.text) yield `${JSON.stringify(path.toString())}: ${here.text} / ${there.text}`
    if (here.isFolder && there.isFolder) yield* below(a, b, path)
  }
}

const join = (root: string, path: Buffer): Buffer => Buffer.concat([Buffer.from(`${root}/`), path])

function namesIn(root: string, at: Buffer): readonly Buffer[] {
  return fs.readdirSync(join(root, at), { encoding: 'buffer' })
}

function describe(root: string, at: Buffer): { readonly text: string; readonly isFolder: boolean } {
  const path = join(root, at)
  const stat = fs.lstatSync(path, { throwIfNoEntry: false, bigint: true })
  if (stat === undefined) return { text: 'not there', isFolder: false }
  const mode = (stat.mode & 0o7777n).toString(8)
  if (stat.isDirectory()) return { text: `folder ${mode}`, isFolder: true }
  const micros = stat.mtimeNs / 1000n
  if (stat.isSymbolicLink()) return { text: `link to ${fs.readlinkSync(path)} of ${micros}`, isFolder: false }
  const content = hash('sha256', fs.readFileSync(path)).slice(0, 12)
  return { text: `file ${mode} of ${stat.size} bytes and ${micros}, ${content}`, isFolder: false }
}
