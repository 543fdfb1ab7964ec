import fc from 'fast-check'
import { expect, test } from 'vitest'
import { sha256, toHex } from '../../host/hash.ts'
import { decodeTree, type Entry, encodeTree, KIND } from '../../store/tree.ts'
import { blend } from './blend.ts'

/** Files by path, as trees in a small store. */
type Files = Readonly<Record<string, string>>

class Store {
  readonly trees = new Map<string, Uint8Array>()

  readonly read = (hash: Uint8Array): readonly Entry[] =>
    decodeTree(Buffer.from(this.trees.get(toHex(hash)) as Uint8Array))
  readonly put = (hash: Uint8Array, tree: Uint8Array): void => void this.trees.set(toHex(hash), tree)

  folder(files: Files): Uint8Array {
    const names = [...new Set(Object.keys(files).map((path) => path.split('/')[0] as string))].sort()
    const bytes = encodeTree(names.map((name) => this.#entry(name, files)))
    const hash = sha256(bytes)
    this.put(hash, bytes)
    return hash
  }

  #entry(name: string, files: Files): Entry {
    const content = files[name]
    const common = { name, mode: 0o644, mtime: 0 }
    if (content !== undefined)
      return { ...common, kind: KIND.file, size: content.length, hash: sha256(Buffer.from(content)) }
    const below = Object.entries(files).filter(([path]) => path.startsWith(`${name}/`))
    const hash = this.folder(Object.fromEntries(below.map(([path, text]) => [path.slice(name.length + 1), text])))
    return { ...common, mode: 0o755, kind: KIND.directory, size: 0, hash }
  }

  files(tree: Uint8Array, path = ''): Map<string, string> {
    const found = new Map<string, string>()
    for (const { name, kind, hash } of this.read(tree)) {
      if (kind === KIND.file) found.set(path + name, toHex(hash))
      else for (const [below, content] of this.files(hash, `${path}${name}/`)) found.set(below, content)
    }
    return found
  }
}

const files = fc.dictionary(fc.constantFrom('a', 'b', 'd/x', 'd/y', 'd/e/z', 'f/x'), fc.constantFrom('1', '2', '3'))

test('the tree between two has each file from the side it is taken from', () => {
  fc.assert(
    fc.property(
      files,
      files,
      fc.uniqueArray(fc.constantFrom('a', 'b', 'd/x', 'd/y', 'd/e/z', 'f/x')),
      (from, to, taken) => {
        const store = new Store()
        const [a, b] = [store.folder(from), store.folder(to)]
        const between = blend(store.read, a, b, (path) => taken.includes(path as never), store.put)
        const expected = new Map<string, string>()
        for (const path of new Set([...Object.keys(from), ...Object.keys(to)])) {
          const content = (taken.includes(path as never) ? to : from)[path]
          if (content !== undefined) expected.set(path, toHex(sha256(Buffer.from(content))))
        }
        expect(store.files(between)).toEqual(expected)
      },
    ),
  )
})

test('with nothing taken it is the one side, with everything the other', () => {
  fc.assert(
    fc.property(files, files, (from, to) => {
      const store = new Store()
      const [a, b] = [store.folder(from), store.folder(to)]
      expect(toHex(blend(store.read, a, b, () => false, store.put))).toBe(toHex(a))
      expect(toHex(blend(store.read, a, b, () => true, store.put))).toBe(toHex(b))
    }),
  )
})
