import * as fs from 'node:fs'
import { between, pick, type Random } from '../bench/random.ts'

/**
 * What writers do to a tree, at places out of a fixed set: however long they do it, the tree stays of a size.
 *
 * A place is the same for the same random numbers, whatever the tree looks like. What cannot be done there is left
 * undone. A folder is renamed or linked to places of its own depth only, so that nothing moves deeper and deeper.
 */

const FOLDERS = [
  ['lib', 'app', 'docs', 'tools', 'a b', 'm\xc3\xbc', 'config', 'test'],
  ['one', 'two', 'three', 'four', '"five"', 'node_modules'],
  ['x', 'y', 'z', 'new\nline', 'not-utf8-\xff'],
] as const
const FILES = [
  'index',
  'main.ts',
  'a.txt',
  'b.txt',
  'c',
  'd',
  'e.json',
  'caf\xe9',
  ' ',
  '-f',
  'notes.md',
  'x~',
] as const
const BURSTS = { folders: 6, files: 400 } as const
const LARGEST = 64 * 1024

/** One thing done somewhere below `root`, which ends with a slash. */
type Act = (root: string, random: Random) => void

/** Names are bytes, one per character: some are not UTF-8. */
const bytes = (path: string): Buffer => Buffer.from(path, 'latin1')

/** A folder as acts take it. */
export const rootOf = (folder: string): string => Buffer.from(`${folder}/`).toString('latin1')

/** A folder of a depth from 1 to 3. */
const folderAt = (depth: number, random: Random): string =>
  FOLDERS.slice(0, depth)
    .map((names) => pick(random, names))
    .join('/')

/** Deep ones are chosen more often, as there are more of them, and as less goes with them. */
const someDepth = (random: Random): number => pick(random, [1, 2, 2, 2, 3, 3, 3, 3, 3, 3, 3, 3])
const someFolder = (random: Random): string => folderAt(someDepth(random), random)
const someFile = (random: Random): string => `${someFolder(random)}/${pick(random, FILES)}`

/** Lines of different lengths, of which many are equal. */
function someText(random: Random, lines = between(random, 0, 80)): string {
  return Array.from({ length: lines }, () => `${pick(random, FILES)} ${between(random, 0, 99)}\n`).join('')
}

function write(path: string, text: string): void {
  fs.writeFileSync(bytes(path), text, 'latin1')
}

function makeFolders(path: string): void {
  fs.mkdirSync(bytes(path), { recursive: true })
}

function removeAll(path: string): void {
  fs.rmSync(bytes(path), { recursive: true, force: true })
}

function fillFolder(path: string, random: Random): void {
  makeFolders(path)
  for (const name of FILES) write(`${path}/${name}`, someText(random))
}

const ACTS: Readonly<Record<string, { readonly weight: number; readonly act: Act }>> = {
  create: {
    weight: 20,
    act: (root, random) => {
      const folder = root + someFolder(random)
      makeFolders(folder)
      write(`${folder}/${pick(random, FILES)}`, someText(random))
    },
  },
  editInPlace: {
    weight: 14,
    act: (root, random) => {
      const handle = fs.openSync(bytes(root + someFile(random)), 'r+')
      try {
        fs.writeSync(handle, someText(random, 1), between(random, 0, 500))
      } finally {
        fs.closeSync(handle)
      }
    },
  },
  append: {
    weight: 12,
    act: (root, random) => {
      const path = bytes(root + someFile(random))
      if (fs.statSync(path).size > LARGEST) fs.truncateSync(path, 100)
      else fs.appendFileSync(path, someText(random, 3), 'latin1')
    },
  },
  /** As editors save. */
  replace: {
    weight: 14,
    act: (root, random) => {
      const path = root + someFile(random)
      write(`${path}.tmp`, someText(random))
      fs.renameSync(bytes(`${path}.tmp`), bytes(path))
    },
  },
  renameFile: {
    weight: 10,
    act: (root, random) => fs.renameSync(bytes(root + someFile(random)), bytes(root + someFile(random))),
  },
  renameFolder: {
    weight: 5,
    act: (root, random) => {
      const depth = someDepth(random)
      fs.renameSync(bytes(root + folderAt(depth, random)), bytes(root + folderAt(depth, random)))
    },
  },
  swapFolders: {
    weight: 2,
    act: (root, random) => {
      const depth = someDepth(random)
      const [a, b, aside] = [root + folderAt(depth, random), root + folderAt(depth, random), `${root}aside`]
      removeAll(aside)
      fs.renameSync(bytes(a), bytes(aside))
      fs.renameSync(bytes(b), bytes(a))
      fs.renameSync(bytes(aside), bytes(b))
    },
  },
  deleteFile: { weight: 8, act: (root, random) => fs.unlinkSync(bytes(root + someFile(random))) },
  deleteFolder: {
    weight: 2,
    act: (root, random) => removeAll(root + someFolder(random)),
  },
  /** Gone and there again under the same name, within a moment. */
  remakeFolder: {
    weight: 3,
    act: (root, random) => {
      const path = root + folderAt(3, random)
      removeAll(path)
      fillFolder(path, random)
    },
  },
  makeTree: {
    weight: 7,
    act: (root, random) => {
      const path = root + folderAt(2, random)
      for (const name of FOLDERS[2]) fillFolder(`${path}/${name}`, random)
      makeFolders(`${path}/p/q/r/s`)
    },
  },
  chmod: {
    weight: 6,
    act: (root, random) =>
      fs.chmodSync(bytes(root + pick(random, [someFile, someFolder])(random)), 0o700 + between(random, 0, 0o77)),
  },
  touch: {
    weight: 4,
    act: (root, random) =>
      fs.utimesSync(bytes(root + someFile(random)), between(random, 0, 1e9), between(random, 0, 1e9)),
  },
  /** To another file or to nothing. */
  swapLink: {
    weight: 5,
    act: (root, random) => {
      const path = root + someFile(random)
      fs.symlinkSync(bytes(pick(random, FILES)), bytes(`${path}.link`))
      fs.renameSync(bytes(`${path}.link`), bytes(path))
    },
  },
  /** In place of the folder itself. */
  linkFolder: {
    weight: 2,
    act: (root, random) => {
      const depth = someDepth(random)
      const path = root + folderAt(depth, random)
      removeAll(path)
      fs.symlinkSync(bytes(root + folderAt(depth, random)), bytes(path))
    },
  },
  fileForFolder: {
    weight: 1,
    act: (root, random) => {
      const path = root + folderAt(3, random)
      removeAll(path)
      write(path, someText(random))
    },
  },
  hardLink: {
    weight: 1,
    act: (root, random) => fs.linkSync(bytes(root + someFile(random)), bytes(root + someFile(random))),
  },
  burst: {
    weight: 1,
    act: (root, random) => {
      const path = `${root}bursts/${between(random, 1, BURSTS.folders)}`
      makeFolders(path)
      for (let at = 0; at < BURSTS.files; at++) write(`${path}/${at}`, someText(random, 2))
      if (random() < 0.5) removeAll(path)
    },
  },
}

const CHOICES = Object.values(ACTS).flatMap(({ weight, act }) => Array.from({ length: weight }, () => act))

/** What happens when others are there first, or a place is not as it would have to be. Removing a folder may fail without a code. */
const IMPOSSIBLE = /^(ENOENT|EEXIST|ENOTDIR|EISDIR|ENOTEMPTY|ELOOP|EINVAL|EPERM|EACCES|EMLINK|EBUSY|ERR_FS_EISDIR|)$/

/** Does something somewhere. */
export function disturb(root: string, random: Random): void {
  try {
    pick(random, CHOICES)(root, random)
  } catch (error) {
    if (!IMPOSSIBLE.test((error as NodeJS.ErrnoException).code ?? 'none')) throw error
  }
}

/** Makes the folders and files that writers expect to be there. */
export function makeAll(root: string, random: Random): void {
  for (const a of FOLDERS[0])
    for (const b of FOLDERS[1]) for (const c of FOLDERS[2]) fillFolder(`${root}${a}/${b}/${c}`, random)
}
