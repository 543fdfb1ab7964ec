import { keyOf } from '../host/hash.ts'
import { decodeList } from './chunk-list.ts'
import type { ObjectReader } from './object-reader.ts'
import { OBJECT } from './store.ts'
import { KIND, referencesOf } from './tree.ts'

/** An object that a collection must keep. */
export interface Root {
  readonly hash: Uint8Array
  /** Whether it is a tree: then everything below it is kept, too. */
  readonly tree: boolean
}

/**
 * Everything reachable from some roots. An object that cannot be read is a fault: its references are unknown, so no
 * object may be removed.
 */
export class Marker {
  readonly live = new Set<string>()
  readonly #reader: ObjectReader
  readonly #isList: (hash: Uint8Array) => boolean

  constructor(reader: ObjectReader, isList: (hash: Uint8Array) => boolean) {
    this.#reader = reader
    this.#isList = isList
  }

  add(root: Root): void {
    if (root.tree) this.#tree(root.hash)
    else this.live.add(keyOf(root.hash))
  }

  /** Trees may be nested thousands deep, so pending trees are in a list, not on the call stack. */
  #tree(root: Uint8Array): void {
    const waiting = this.#fresh(root) ? [root] : []
    for (let hash = waiting.pop(); hash !== undefined; hash = waiting.pop())
      for (const { kind, hash: child } of referencesOf(Buffer.from(this.#reader.raw(hash).bytes)))
        if (kind !== KIND.directory) this.addContent(child)
        else if (this.#fresh(child)) waiting.push(child)
  }

  /** The content of a file or link, with the chunks of a large one. */
  addContent(hash: Uint8Array): void {
    if (!this.#fresh(hash) || !this.#isList(hash)) return
    const { kind, bytes } = this.#reader.raw(hash)
    if (kind === OBJECT.list) for (const chunk of decodeList(bytes)) this.live.add(keyOf(chunk.hash))
  }

  #fresh(hash: Uint8Array): boolean {
    const key = keyOf(hash)
    if (this.live.has(key)) return false
    this.live.add(key)
    return true
  }
}
