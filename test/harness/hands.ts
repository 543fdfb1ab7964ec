import * as fs from 'node:fs'
import { between, pick, type Random } from '../../bench/random.ts'
import { latin } from './scene.ts'

/** What people and programs do to files without any tool of ours. Names are bytes, one per character. */

const FOLDERS = ['src', 'docs', 'a b', 'm\xc3\xbc', 'src/deep', 'src/deep/er', 'new\nline', 'caf\xe9', '-f'] as const
const FILES = [
  'a.txt',
  'b.txt',
  'c',
  'caf\xe9',
  ' ',
  '-n',
  '"q"',
  'x\ty',
  '\xe2\x80\xae.txt',
  '\x1b[31m',
  'A.TXT',
  '.env',
  '#',
] as const

/** Where links lead: inside, outside, nowhere. Nothing here ever goes through one. */
const LINKS = ['a.txt', '..', '../other', '../secret.txt', 'nowhere', '/no/such'] as const

type Hand = (root: string, random: Random) => void

const bytes = (path: string): Buffer => Buffer.from(path, 'latin1')
/** A path that no link is on the way to, and that is none itself. */
function real(root: string, path: string): Buffer {
  said.push(JSON.stringify(path))
  const parts = path.split('/')
  for (let i = 1; i <= parts.length; i++)
    if (fs.lstatSync(bytes(root + parts.slice(0, i).join('/')), { throwIfNoEntry: false })?.isSymbolicLink())
      throw new Error('a link is on the way')
  return bytes(root + path)
}

/** A path that no link is on the way to; it may be one itself. */
function place(root: string, path: string): Buffer {
  said.push(JSON.stringify(path))
  if (path.includes('/')) real(root, path.slice(0, path.lastIndexOf('/')))
  return bytes(root + path)
}

export const someFolder = (random: Random): string => pick(random, ['', ...FOLDERS])
/** A path from the root, as bytes. */
export const somePath = (random: Random): string => [someFolder(random), pick(random, FILES)].filter(Boolean).join('/')

export function someText(random: Random): string {
  const line = (): string => `${pick(random, FILES)} ${between(random, 0, 999)}${pick(random, ['\n', '\n', '\r\n'])}`
  return Array.from({ length: between(random, 0, 30) }, line).join('')
}

function write(root: string, path: string, text: string | Buffer): void {
  const file = real(root, path)
  if (path.includes('/')) fs.mkdirSync(bytes(root + path.slice(0, path.lastIndexOf('/'))), { recursive: true })
  fs.writeFileSync(file, text, 'latin1')
}

const noise = (random: Random, length: number): Buffer => {
  const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random() * 2 ** 32)
  return Buffer.from(words.buffer, 0, length)
}

/** Each with how often it is done. */
const HANDS: Readonly<Record<string, readonly [weight: number, hand: Hand]>> = {
  write: [10, (root, random) => write(root, somePath(random), someText(random))],
  append: [4, (root, random) => fs.appendFileSync(real(root, somePath(random)), 'more\n')],
  remove: [4, (root, random) => fs.rmSync(place(root, somePath(random)))],
  'remove folder': [2, (root, random) => fs.rmSync(place(root, pick(random, FOLDERS)), { recursive: true })],
  rename: [4, (root, random) => fs.renameSync(real(root, somePath(random)), real(root, somePath(random)))],
  'rename folder': [
    2,
    (root, random) => fs.renameSync(real(root, pick(random, FOLDERS)), real(root, pick(random, FOLDERS))),
  ],
  mkdir: [2, (root, random) => fs.mkdirSync(real(root, someFolder(random)), { recursive: true })],
  symlink: [3, (root, random) => fs.symlinkSync(pick(random, LINKS), real(root, somePath(random)))],
  link: [2, (root, random) => fs.linkSync(real(root, somePath(random)), real(root, somePath(random)))],
  chmod: [2, (root, random) => fs.chmodSync(real(root, somePath(random)), pick(random, [0o644, 0o600, 0o755, 0o444]))],
  big: [1, (root, random) => write(root, somePath(random), noise(random, between(random, 1, 3_000_000)))],
  touch: [
    2,
    (root, random) => fs.utimesSync(real(root, somePath(random)), between(random, 0, 2e9), between(random, 0, 2e9)),
  ],
  // The same size and, put back, the same time.
  'change unseen': [
    2,
    (root, random) => {
      const path = real(root, somePath(random))
      const { size, atime, mtime } = fs.statSync(path)
      fs.writeFileSync(path, noise(random, size))
      fs.utimesSync(path, atime, mtime)
    },
  ],
  'mkdir for a file': [1, (root, random) => fs.mkdirSync(real(root, somePath(random)))],
  'folder to link': [
    1,
    (root, random) => {
      const path = real(root, pick(random, FOLDERS))
      fs.rmSync(path, { recursive: true })
      fs.symlinkSync('../other', path)
    },
  ],
}

/** One thing done by hand, in words. What cannot be done is left undone. */
export function byHand(root: string, random: Random): string {
  const name = weighted(
    Object.entries(HANDS).map(([one, [weight]]) => [weight, one] as const),
    random,
  )
  said = []
  try {
    HANDS[name]?.[1](`${latin(root)}/`, random)
    return `${name} ${said.join(' ')}`
  } catch {
    // There is no such file, or another kind of thing is there.
    return ''
  }
}

/** The paths that the hand at work has named. */
let said: string[] = []

export function weighted<T>(table: readonly (readonly [weight: number, what: T])[], random: Random): T {
  let left = random() * table.reduce((sum, [weight]) => sum + weight, 0)
  for (const [weight, what] of table) {
    left -= weight
    if (left < 0) return what
  }
  return (table.at(-1) as readonly [number, T])[1]
}
