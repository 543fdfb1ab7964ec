import { existsSync } from 'node:fs'
import { expect, test } from 'vitest'
import { makeScratch, readFiles, removeScratch, type ScratchFile, writeText } from '../../host/files/scratch.ts'
import { type Answers, SAMPLES, timewarp } from '../testing.ts'

/** Enough of a time machine for the demo: remembers the files of the project at the last snapshot. */
function timeMachine(spoil: (files: Map<string, ScratchFile>) => void = () => {}): Answers {
  let kept = new Map<string, ScratchFile>()
  return {
    ...SAMPLES,
    status: {
      workspace_id: 'w_1',
      root: '/r',
      newest: null,
      snapshots: 2,
      changed: { added: 0, modified: 0, deleted: 6, paths: [] },
      excluded: [],
      gaps: [],
      skipped: [],
      busy: null,
      warnings: [],
    },
    snapshot: ({ input }) => {
      kept = readFiles(String(input.workspace))
      return SAMPLES.snapshot as object
    },
    restore: ({ input }) => {
      spoil(kept)
      for (const [path, { bytes, mode }] of kept)
        writeText(`${String(input.workspace)}/${path}`, Buffer.from(bytes).toString(), mode)
      return { ...(SAMPLES.restore as object), restored: [...kept.keys()] }
    },
  }
}

test('demo loses everything, gets it back byte for byte and leaves nothing behind', async () => {
  const { screen, calls, opened, order } = await timewarp(['demo'], { answers: timeMachine() })
  const project = String(calls[0]?.input.workspace)
  expect(screen.replaceAll(project, 'PROJECT')).toMatchInlineSnapshot(`
    "
    # A small project in PROJECT
    .env
    README.md
    build.sh
    src/price.ts
    src/shop.ts

    $ timewarp init
    Workspace w_20260228_150000_000001: /place/here
    Snapshot: s_20260228_150000_000002 (12 files)
    Left out: build/ (2 files, 31 B); see timewarp status
    Git: no repository
    Retention: everything is kept until timewarp prune
    Store: not encrypted; nobody else may enter it

    $ timewarp snapshot -m "it works"
    Captured 2 files (2.0 KiB) in 7 ms: 2 added, 0 modified, 0 deleted; 1.0 KiB stored.
    Snapshot: s_20260228_153012_ab12cd
    Warning: big.iso is larger than max_file_bytes

    # An agent changes src/price.ts and adds a test

    $ timewarp diff s_20260228_153012_ab12cd
    --- a/a
    +++ b/a
    @@ -1 +1 @@
    -old
    +new

    $ timewarp snapshot -m discount
    Captured 2 files (2.0 KiB) in 7 ms: 2 added, 0 modified, 0 deleted; 1.0 KiB stored.
    Snapshot: s_20260228_153012_ab12cd
    Warning: big.iso is larger than max_file_bytes

    # Then it cleans up, in the wrong folder

    $ rm -rf .env README.md build.sh src
    0 files left.

    $ timewarp status
    Workspace w_1: /r
    No snapshot yet.
    Since then: 0 added, 0 modified, 6 deleted.

    $ timewarp restore s_20260228_153012_ab12cd
    Restored 6 paths, deleted 0.
    Undo with: timewarp undo

    All 6 files are back, byte for byte.
    The scratch folder is removed. Now try it in a project of yours: timewarp up
    [exit 0]"
  `)
  expect(opened).toEqual([{ home: project.replace(/project$/, 'home'), daemon: false }])
  expect(existsSync(project.replace(/project$/, ''))).toBe(false)
  expect(order.filter((what) => what.startsWith('paused'))).toEqual([])
})

test('demo pauses on a terminal', async () => {
  const { order } = await timewarp(['demo'], { answers: timeMachine(), io: { outIsTerminal: true } })
  expect(order.filter((what) => what.startsWith('paused')).length).toBeGreaterThan(5)
})

test('demo exits 70 and names what did not come back', async () => {
  const answers = timeMachine((files) => files.delete('src/shop.ts'))
  const { out, code } = await timewarp(['demo'], { answers })
  expect(code).toBe(70)
  expect(out).toContain('src/shop.ts is not what it was')
})

test('demo notices a changed mode and a file too many', async () => {
  const build = timeMachine((files) => files.set('build.sh', { bytes: files.get('build.sh')!.bytes, mode: 0o644 }))
  expect((await timewarp(['demo'], { answers: build })).code).toBe(70)
  const extra = timeMachine((files) => files.set('extra', { bytes: Uint8Array.of(1), mode: 0o644 }))
  expect((await timewarp(['demo'], { answers: extra })).code).toBe(70)
})

test('demo --keep --json keeps the folder and says where it is', async () => {
  const { out } = await timewarp(['demo', '--keep', '--json'], { answers: timeMachine() })
  const { ok, files, lost, scratch, steps } = JSON.parse(out)
  expect([ok, files, lost, steps.length, existsSync(`${scratch}/project/build.sh`)]).toEqual([true, 6, [], 10, true])
  removeScratch(scratch)
})

test('an interrupted demo leaves nothing behind', async () => {
  let interrupt = (_code: number): void => {}
  const interrupted = new Promise<number>((resolve) => (interrupt = resolve))
  const status = () => {
    interrupt(130)
    return new Promise<object>(() => {})
  }
  const { code, calls } = await timewarp(['demo'], { answers: { ...timeMachine(), status }, io: { interrupted } })
  expect([code, existsSync(String(calls[0]?.input.workspace))]).toEqual([130, false])
})

test('a scratch folder is read back with bytes and modes', () => {
  const dir = makeScratch('timewarp-test-')
  writeText(`${dir}/a/b.sh`, 'x', 0o755)
  expect([...readFiles(dir)]).toEqual([['a/b.sh', { bytes: Buffer.from('x'), mode: 0o755 }]])
  removeScratch(dir)
})
