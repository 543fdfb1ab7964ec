import { once } from 'node:events'
import { readFileSync, writeFileSync } from 'node:fs'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { Worker } from 'node:worker_threads'
import { between, mix, pick, randomFrom } from './random.ts'
import { packageNames, sourceText } from './text.ts'
import { WORDS } from './words.ts'

const SEED = 2026
const FOLDERS_PER_PACKAGE = 40 // 1 + 3 + 9 + 27: folders three to six deep when each holds three others
const PACKAGES_PER_GROUP = 25
const MEDIAN_BYTES = 2020
const SPREAD = 1.29 // of the logarithm; with the median above, 4.6 KB on average, as counted in real repositories
const LARGEST = 256 * 1024

const live = new Set<Worker>()

export interface Tree {
  readonly root: string
  /** Of the files, in the order they are made, relative to `root`. */
  readonly paths: readonly string[]
  readonly bytes: number
}

/** What a worker needs to make its part of a tree. */
export interface Share {
  readonly root: string
  readonly files: number
  readonly from: number
  readonly to: number
}

/** The paths of a tree of so many files: the same for the same number. */
export function layout(files: number): readonly string[] {
  const paths: string[] = []
  for (let folder = 0; paths.length < files; folder++) {
    const random = randomFrom(mix(SEED, 1, folder))
    const where = folderPath(folder)
    const count = Math.min(between(random, 8, 12), files - paths.length)
    for (let at = 0; at < count; at++) paths.push(`${where}/${fileName(random(), at)}`)
  }
  return paths
}

/** The text of file number `index`; another for each `edition`. */
export function fileText(path: string, index: number, edition = 0): string {
  return sourceText(mix(SEED, 2, index, edition), namesFor(path), sizeOf(index))
}

/** Makes a tree of `files` files below `root`, on all cores. Their times lie days in the past. */
export async function makeTree(root: string, files: number): Promise<Tree> {
  const workers = Math.min(availableParallelism(), 8)
  const cut = (at: number) => Math.round((files * at) / workers)
  const shares = Array.from({ length: workers }, (_, at) => ({ root, files, from: cut(at), to: cut(at + 1) }))
  const bytes = await Promise.all(shares.map(makeShare))
  return { root, paths: layout(files), bytes: bytes.reduce((sum, part) => sum + part, 0) }
}

/** Stops a `makeTree` under way, which then never answers: nothing is written any more. */
export async function stopMaking(): Promise<void> {
  await Promise.all([...live].map((worker) => worker.terminate()))
}

/** The files that a round changes: spread over the whole tree, others each round. */
export function filesOfRound(tree: Tree, count: number, round: number): readonly string[] {
  const step = Math.floor(tree.paths.length / count)
  const indexes = Array.from({ length: count }, (_, at) => at * step + (mix(SEED, 3, round, at) % step))
  return indexes.map((index) => tree.paths[index] as string)
}

/** Edits the files of a round in place. */
export function changeFiles(tree: Tree, count: number, round: number): void {
  filesOfRound(tree, count, round).forEach((path, at) => changeFile(join(tree.root, path), path, at, round))
}

/** Keeps most of the text, as an edit does: new lines come in at a third of it. */
function changeFile(file: string, path: string, index: number, round: number): void {
  const lines = readFileSync(file, 'latin1').split('\n')
  const fresh = fileText(path, index, round + 1)
    .split('\n')
    .slice(-9, -1)
  lines.splice(Math.floor(lines.length / 3), 4, `// round ${round}`, ...fresh)
  writeFileSync(file, lines.join('\n'), 'latin1')
}

async function makeShare(share: Share): Promise<number> {
  const worker = new Worker(new URL('./tree-worker.ts', import.meta.url), { workerData: share })
  live.add(worker)
  const [bytes] = (await once(worker, 'message')) as [number]
  live.delete(worker)
  return bytes
}

function folderPath(folder: number): string {
  const packageNumber = Math.floor(folder / FOLDERS_PER_PACKAGE)
  const group = Math.floor(packageNumber / PACKAGES_PER_GROUP)
  const below: string[] = []
  for (let at = folder % FOLDERS_PER_PACKAGE; at > 0; at = Math.floor((at - 1) / 3))
    below.unshift(`${pick(randomFrom(mix(SEED, 4, packageNumber, at)), WORDS)}-${at}`)
  return [`group-${group}`, `package-${packageNumber}`, 'source', ...below].join('/')
}

function fileName(chance: number, at: number): string {
  const word = WORDS[Math.floor(chance * WORDS.length)]
  return at === 0 ? 'index.ts' : `${word}-${at}${chance < 0.1 ? '.test.ts' : '.ts'}`
}

/** Spreads the sizes evenly over their distribution, so that a small tree has the same average as a large one. */
function sizeOf(index: number): number {
  const even = (index * 0.618033988749895 + 0.5) % 1
  return Math.min(LARGEST, Math.max(60, Math.round(MEDIAN_BYTES * Math.exp(SPREAD * normalQuantile(even)))))
}

/** Tukey's lambda: within 1 % of the normal quantile where it matters here. */
function normalQuantile(p: number): number {
  const safe = Math.min(1 - 1e-6, Math.max(1e-6, p))
  return (safe ** 0.1349 - (1 - safe) ** 0.1349) / 0.1975
}

let names: { readonly package: string; readonly list: readonly string[] } | undefined

/** Files come package by package, so remembering the last one is enough. */
function namesFor(path: string): readonly string[] {
  const name = path.split('/', 2)[1] as string
  if (names?.package !== name) names = { package: name, list: packageNames(mix(SEED, 5, Number(name.split('-')[1]))) }
  return names.list
}
