import { joinPath, parentOf, type RelPath } from '../../schema/path.ts'
import { KIND } from '../../store/tree.ts'
import { isLeafAt } from '../scan/encoded.ts'
import { decodeFolder, encodeFolder } from '../scan/folder.ts'
import type { Scan } from '../scan/scan-result.ts'
import { makeTree, type PutTree } from './assemble.ts'

/**
 * Makes the trees of folders while the scan is still running, each as soon as the trees of all its subfolders are made.
 * After the scan, without its threads, a single thread would have to make them all. Only for a first full scan, which
 * sees every folder once, after the folder that contains it. `assemble` makes the trees that are left.
 */
export class EarlyTrees {
  readonly #put: PutTree
  /** The number of subfolders of each folder whose trees are not made yet. */
  readonly #missing = new Map<RelPath, number>()

  constructor(put: PutTree) {
    this.#put = put
  }

  found(path: RelPath, scan: Scan): void {
    const folder = scan.changed.get(path)
    if (folder === undefined) return
    if (isLeafAt(folder)) return this.#made(path, scan)
    const { kinds } = decodeFolder(folder)
    this.#missing.set(
      path,
      kinds.reduce((n, kind) => n + (kind === KIND.directory ? 1 : 0), 0),
    )
  }

  #made(path: RelPath, scan: Scan): void {
    for (let at = path; at !== ''; ) {
      at = parentOf(at)
      const missing = (this.#missing.get(at) ?? 0) - 1
      this.#missing.set(at, missing)
      if (missing !== 0 || !this.#make(at, scan)) return
    }
  }

  #make(path: RelPath, scan: Scan): boolean {
    const encoded = scan.changed.get(path)
    if (encoded === undefined) return false
    const folder = decodeFolder(encoded)
    const children = folder.names.map((name, i) =>
      folder.kinds[i] === KIND.directory ? scan.changed.get(joinPath(path, name)) : undefined,
    )
    scan.changed.set(path, encodeFolder(makeTree(folder, children, this.#put)))
    scan.made.add(path)
    return true
  }
}
