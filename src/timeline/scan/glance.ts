import { nameFromBytes } from '../../base/quote.ts'
import { lstat, lstatText, type Stat } from '../../host/files/fs.ts'
import { KIND } from '../../store/tree.ts'
import { layoutOf } from './folder.ts'

/**
 * Whether a folder and every file in it have the stat that the last scan recorded; `linked` when, in addition, a file
 * has several hard links. Most folders take this path in most scans, so it reads the encoded folder in place and
 * allocates nothing but paths. Undefined: something differs, or only a full scan of the folder can tell.
 */
export function glance(absolute: string, encoded: Uint8Array): 'same' | 'linked' | undefined {
  const { numbers, words, bytes } = cellsOf(encoded.buffer)
  const base = encoded.byteOffset
  const at = base / 8
  const stat = glanceAt(lstatOf(absolute.isWellFormed()), absolute)
  if (!stat?.isDirectory() || stat.mtimeMs !== numbers[at + 1] || stat.ctimeMs !== numbers[at + 2]) return undefined
  if (stat.ino !== numbers[at + 3]) return undefined
  const n = words[base / 4 + 11] as number
  if (n === 0) return 'same'
  let linked = false
  const { sizes, sigM, sigC, inos, kinds, names } = layoutOf(n, base)
  const { list, isText } = namesAt(bytes, names, words[base / 4 + 13] as number)
  const look = lstatOf(isText && absolute.isWellFormed())
  for (let i = 0; i < n; i++) {
    if (bytes[kinds + i] === KIND.directory) continue
    const entry = glanceAt(look, `${absolute}/${list[i]}`)
    const isSame =
      entry !== undefined &&
      entry.ctimeMs === numbers[sigC / 8 + i] &&
      entry.mtimeMs === numbers[sigM / 8 + i] &&
      entry.ino === numbers[inos / 8 + i] &&
      entry.size === numbers[sizes / 8 + i]
    if (!isSame) return undefined
    if (entry.nlink > 1) linked = true
  }
  return linked ? 'linked' : 'same'
}

const lstatOf = (isText: boolean): typeof lstat => (isText ? lstatText : lstat)

/** Undefined when the path does not exist or cannot be examined. */
function glanceAt(look: typeof lstat, path: string): Stat | undefined {
  try {
    return look(path)
  } catch {
    return undefined
  }
}

interface Cells {
  readonly numbers: Float64Array
  readonly words: Uint32Array
  readonly bytes: Buffer
}

/** Nearly all folders of a scan lie in one buffer, so the views of the last buffer are cached. */
let last: { of: ArrayBufferLike; cells: Cells } | undefined

function cellsOf(buffer: ArrayBufferLike): Cells {
  if (last?.of === buffer) return last.cells
  const cells = {
    numbers: new Float64Array(buffer, 0, Math.floor(buffer.byteLength / 8)),
    words: new Uint32Array(buffer, 0, Math.floor(buffer.byteLength / 4)),
    bytes: Buffer.from(buffer as ArrayBuffer),
  }
  last = { of: buffer, cells }
  return cells
}

function namesAt(bytes: Buffer, start: number, length: number): { list: string[]; isText: boolean } {
  const joined = bytes.toString('utf8', start, start + length)
  const isText = !joined.includes('\ufffd')
  return { list: (isText ? joined : nameFromBytes(bytes.subarray(start, start + length))).split('\0'), isText }
}
