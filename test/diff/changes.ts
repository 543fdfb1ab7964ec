/** Changes of files of every kind, the nasty ones in particular. */

import fc from 'fast-check'
import { nameFromBytes } from '../../src/base/quote.ts'
import type { FileChange } from '../../src/diff/public.ts'

export interface Node {
  readonly mode: number
  /** The contents, or the target of a symlink. */
  readonly bytes: Uint8Array
}
export type Files = ReadonlyMap<string, Node>

export interface Change {
  readonly path: string
  /** Where it was before, if it was renamed. */
  readonly from?: string
  readonly old: Node | null
  readonly new: Node | null
}

const [FILE, PROGRAM, LINK] = [0o100644, 0o100755, 0o120000]
const latin1 = (text: string): Buffer => Buffer.from(text, 'latin1')

const NAMES = [
  'plain',
  'in/a folder/x.ts',
  '-dash',
  'a => b',
  'x y',
  ' lead',
  'trail ',
  "it's",
  '\x7f',
  'é',
  '\u{1f9ed} map',
]
const ODD = [
  'q"q',
  'back\\slash',
  'tab\tx',
  'two\nlines',
  'cr\r',
  'bell\x07 rings',
  'x b/x',
  'a/b/a/b',
  '"quoted"',
  '日本 語',
]
const anyBytes = fc
  .uint8Array({ min: 1, minLength: 2, maxLength: 9 })
  .map((raw) => `r${nameFromBytes(raw.map((b) => (b === 0x2f ? 0x30 : b)))}`)
const name = fc.oneof(fc.constantFrom(...NAMES), fc.constantFrom(...ODD), anyBytes)

const WORDS = [
  'a',
  'b',
  '',
  '  c',
  '\td',
  '}',
  '{',
  'fn\xe9 f() {',
  '\xff\xfe',
  '-- a',
  '++ b',
  '@@ -1 +1 @@',
  '\\ No',
  ' ',
  '-',
  '+',
]
const word = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...WORDS) },
  { weight: 2, arbitrary: fc.nat(60).map((n) => `line ${n}`) },
  {
    weight: 1,
    arbitrary: fc
      .string({ unit: 'grapheme', maxLength: 12 })
      .map((s) => Buffer.from(s.replace(/[\n\0]/g, '?')).toString('latin1')),
  },
)
const ENDINGS = { lf: ['\n'], crlf: ['\r\n'], mixed: ['\n', '\r\n', '\r\r\n', '\r'] }
type Ending = keyof typeof ENDINGS
const lineOf = (ending: Ending): fc.Arbitrary<string> =>
  fc.tuple(word, fc.constantFrom(...ENDINGS[ending])).map(([text, end]) => text + end)

const edit = (ending: Ending) =>
  fc.record({ at: fc.nat(40), remove: fc.nat(3), insert: fc.array(lineOf(ending), { maxLength: 3 }) })

interface Texts {
  readonly old: Buffer
  readonly new: Buffer
}

/** A text and what some edits make of it; last lines without line end and byte order marks come and go. */
const texts = (ending: Ending): fc.Arbitrary<Texts> =>
  fc
    .record({
      lines: fc.array(lineOf(ending), { maxLength: 40 }),
      edits: fc.array(edit(ending), { minLength: 1, maxLength: 4 }),
      ends: fc.constantFrom(['', ''], ['', ''], ['end', 'end'], ['', 'end'], ['end', ''], ['end', 'other']),
      marks: fc.constantFrom(
        ['', ''],
        ['', ''],
        ['', ''],
        ['\xef\xbb\xbf', '\xef\xbb\xbf'],
        ['', '\xef\xbb\xbf'],
        ['\xef\xbb\xbf', ''],
      ),
    })
    .map(({ lines, edits, ends, marks }) => {
      const after = [...lines]
      for (const { at, remove, insert } of edits) after.splice(at, remove, ...insert)
      return {
        old: latin1(marks[0] + lines.join('') + ends[0]),
        new: latin1(marks[1] + after.join('') + ends[1]),
      }
    })

/** Big enough, and alike enough, for git to write a delta now and then. */
const binaries: fc.Arbitrary<Texts> = fc
  .record({ seed: fc.nat(255), size: fc.nat(3000), at: fc.nat(3000), put: fc.uint8Array({ maxLength: 40 }) })
  .map(({ seed, size, at, put }) => {
    const old = Buffer.from(Uint8Array.from({ length: size + 1 }, (_, i) => (i * i * 31 + seed * i) % 251))
    return { old, new: Buffer.concat([old.subarray(0, at), put, Buffer.of(0), old.subarray(at)]) }
  })

const anyTexts = fc.oneof(texts('lf'), texts('lf'), texts('crlf'), texts('mixed'), binaries)
const mode = fc.constantFrom(FILE, FILE, PROGRAM)
const node = (mode: number, bytes: Uint8Array): Node => ({ mode, bytes })

type Sides = Pick<Change, 'old' | 'new'>

const edited: fc.Arbitrary<Sides> = fc
  .tuple(anyTexts, mode, mode)
  .map(([text, a, b]) => ({ old: node(a, text.old), new: node(b, text.new) }))
const renamed = fc.oneof(
  edited,
  edited.map(({ old }): Sides => ({ old, new: old })),
)
const added = edited.map((sides): Sides => ({ ...sides, old: null }))
const deleted = edited.map((sides): Sides => ({ ...sides, new: null }))
const NOTHING = new Uint8Array()
const emptied = fc.oneof(
  edited.map(({ old }): Sides => ({ old, new: node(FILE, NOTHING) })),
  edited.map((sides): Sides => ({ old: node(PROGRAM, NOTHING), new: sides.new })),
  fc.constantFrom<Sides>({ old: null, new: node(FILE, NOTHING) }, { old: node(PROGRAM, NOTHING), new: null }),
)
const onlyMode = edited.map(
  ({ old }): Sides => ({ old, new: node(old?.mode === FILE ? PROGRAM : FILE, old?.bytes ?? NOTHING) }),
)
const target = fc.constantFrom('plain', '../away', 'x y', 'two\nlines', '\xff', 'ends in LF\n').map(latin1)
const linked = fc.oneof(
  fc.tuple(target, target).map(([a, b]): Sides => ({ old: node(LINK, a), new: node(LINK, b) })),
  fc.tuple(edited, target).map(([{ old }, b]): Sides => ({ old, new: node(LINK, b) })),
  fc.tuple(target, edited).map(([a, sides]): Sides => ({ old: node(LINK, a), new: sides.new })),
)
const sides = fc.oneof(
  { weight: 6, arbitrary: edited },
  { weight: 2, arbitrary: fc.oneof(added, deleted, emptied, onlyMode) },
  { weight: 1, arbitrary: linked },
)

const stayed = fc.tuple(name, sides).map(([path, pair]): Change => ({ path, ...pair }))
const moved = fc
  .tuple(name, name, renamed)
  .map(([from, path, pair]): Change => ({ path, from: `was ${from}`, ...pair }))
const change = fc.oneof({ weight: 5, arbitrary: stayed }, { weight: 1, arbitrary: moved })

/** `count` changes, each in a folder of its own, always the same for the same seed. */
export const sampleChanges = (count: number, seed: number): Change[] =>
  fc
    .sample(change, { seed, numRuns: count })
    .map((each, i) => ({ ...each, path: `${i}/${each.path}`, ...(each.from && { from: `${i}/${each.from}` }) }))

export const filesOf = (changes: readonly Change[], side: 'old' | 'new'): Map<string, Node> =>
  new Map(
    changes.flatMap((each) => {
      const found = each[side]
      return found ? [[side === 'old' ? (each.from ?? each.path) : each.path, found] as const] : []
    }),
  )

/** As the writer of diffs wants it. */
export const asFileChange = ({ path, from, old, new: current }: Change): FileChange => ({
  path,
  ...(from !== undefined && { oldPath: from }),
  status: old === null ? 'added' : current === null ? 'deleted' : 'modified',
  oldMode: old?.mode ?? null,
  newMode: current?.mode ?? null,
  old: old?.bytes ?? null,
  new: current?.bytes ?? null,
})

/** Two texts that git would call text, for properties. */
export const twoTexts: fc.Arbitrary<Texts> = fc.oneof(texts('lf'), texts('crlf'), texts('mixed'))
export const twoContents: fc.Arbitrary<Texts> = anyTexts
