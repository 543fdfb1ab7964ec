import fc from 'fast-check'
import { expect, test } from 'vitest'
import { applyPatch } from '../diff/patch/apply.ts'
import { parsePatch } from '../diff/patch/parse.ts'
import { recordedPath as rel } from '../schema/path.ts'
import type { EditOp } from './ops.ts'
import type { ApplyDiff } from './plan-patch.ts'
import { previewOf } from './plan-preview.ts'
import {
  diffOf,
  drawn,
  edited,
  fakeDiff,
  faultOf,
  file,
  folder,
  link,
  plan,
  type World,
  world,
} from './plan-testing.ts'

// Few paths and few words, so that edits meet.

const path = fc.constantFrom('a', 'b', 'd', 'd/a', 'd/e', 'd/e/b', 'l', 'l/a', 'x/y', '.git/c').map(rel)
const text = fc.string({ unit: fc.constantFrom('a', 'b', '\n', '\r\n', '$&', 'é', ' ', '\ufeff'), maxLength: 8 })
const part = fc.oneof(text, fc.constantFrom('a', 'b', '', 'ab'))

const op: fc.Arbitrary<EditOp> = fc.oneof(
  fc.record({ op: fc.constant('block' as const), path, search_block: part, replace_block: text }),
  fc.record({
    op: fc.constant('block' as const),
    path,
    search_block: part,
    replace_block: text,
    occurrence: fc.integer({ min: 1, max: 3 }),
  }),
  fc.record({ op: fc.constant('whole' as const), path, content: text }),
  fc.record({
    op: fc.constant('ranged' as const),
    path,
    start_line: fc.integer({ min: 1, max: 3 }),
    end_line: fc.nat(3),
    content: text,
  }),
  fc.record({ op: fc.constant('delete' as const), path }),
  fc.record({ op: fc.constant('create_directory' as const), path }),
  fc.record({ op: fc.constant('rename' as const), from: path, to: path }),
  fc.record({ path, text }).map((change) => diffOf(change)),
  fc.record({ path, from: path, text }).map((change) => diffOf(change)),
  path.map((each) => diffOf({ path: each })),
)

const start: fc.Arbitrary<World> = fc
  .record({ a: text, inner: text, mode: fc.constantFrom(0o644, 0o755), binary: fc.boolean() })
  .map(({ a, inner, mode, binary }) =>
    world({ a, 'd/a': file(inner, mode), 'd/e': folder, b: binary ? Uint8Array.of(0, 0xff) : 'b', l: link('d') }),
  )

const RUNS = { seed: 20261119, numRuns: 2000 }

const codeOf = (before: World, ops: readonly EditOp[]): string | undefined => {
  try {
    plan(before, ops, fakeDiff)
    return undefined
  } catch {
    return faultOf(() => plan(before, ops, fakeDiff)).code
  }
}

test('several edits together are the same edits one by one, or the fault of the one that fails', () => {
  const tally = { done: 0, refused: 0 }
  fc.assert(
    fc.property(start, fc.array(op, { minLength: 2, maxLength: 20 }), (before, ops) => {
      const pristine = drawn(before)
      const done: EditOp[] = []
      let now = before
      for (const each of ops) {
        const code = codeOf(now, [each])
        if (code === undefined) {
          done.push(each)
          now = edited(now, [each], fakeDiff)
        } else if (done.length > 0) {
          const fault = faultOf(() => plan(before, [...done, each], fakeDiff))
          expect(fault).toMatchObject({ code, data: { edit: done.length + 1 } })
          tally.refused++
        }
      }
      expect(drawn(edited(before, done, fakeDiff))).toEqual(drawn(now))
      expect(drawn(before)).toEqual(pristine)
      if (done.length > 2) tally.done++
    }),
    RUNS,
  )
  // Both ways are taken often enough to mean something.
  expect(Math.min(tally.done, tally.refused)).toBeGreaterThan(500)
})

test('an edit changes no path but its own', () => {
  fc.assert(
    fc.property(start, op, (before, each) => {
      const named = [each].flatMap((o) => (o.op === 'rename' ? [o.from, o.to] : o.op === 'diff' ? [] : [o.path]))
      fc.pre(named.length > 0)
      fc.pre(codeOf(before, [each]) === undefined)
      const now = edited(before, [each], fakeDiff)
      for (const [where, thing] of before)
        if (!named.some((name) => where === name || where.startsWith(`${name}/`))) expect(now.get(where)).toBe(thing)
    }),
    RUNS,
  )
})

test('a search text that is ambiguous, missing or empty never leads to a plan', () => {
  fc.assert(
    fc.property(text, part, text, (content, search_block, replace_block) => {
      const count =
        search_block === ''
          ? 0
          : Array.from({ length: content.length }, (_, i) => i).filter((i) => content.startsWith(search_block, i))
              .length
      const act = () => plan(world({ a: content }), [{ op: 'block', path: rel('a'), search_block, replace_block }])
      if (count === 1 || (search_block === '' && content === '')) return void act()
      const wanted = search_block === '' ? 'SEARCH_EMPTY' : count === 0 ? 'SEARCH_NOT_FOUND' : 'SEARCH_AMBIGUOUS'
      expect(faultOf(act).code).toBe(wanted)
    }),
    RUNS,
  )
})

test('the diff that tells of a plan, applied as an edit, does the same to the files', () => {
  const files = (all: World): Record<string, string> =>
    Object.fromEntries(Object.entries(drawn(all)).filter(([, shown]) => shown !== '/'))
  const apply: ApplyDiff = (diff, read) => applyPatch(parsePatch(diff), read).files
  let told = 0
  fc.assert(
    fc.property(start, fc.array(op, { minLength: 1, maxLength: 12 }), (before, ops) => {
      const done = ops.reduce<EditOp[]>((kept, each) => (codeOf(before, [...kept, each]) ? kept : [...kept, each]), [])
      const whole = plan(before, done, fakeDiff)
      // A diff that touches symlinks is refused, and folders are nothing to it.
      fc.pre(whole.changes.every((change) => change.before?.kind !== 'symlink' && change.after?.kind !== 'symlink'))
      const { diff } = previewOf(whole)
      if (diff.length === 0) return
      const again = edited(before, [{ op: 'diff', diff_base64: Buffer.from(diff).toString('base64') }], apply)
      expect(files(again)).toEqual(files(edited(before, done, fakeDiff)))
      told++
    }),
    RUNS,
  )
  expect(told).toBeGreaterThan(500)
})
