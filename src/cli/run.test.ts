import { describe, expect, test } from 'vitest'
import { Fault } from '../base/fault.ts'
import { SAMPLES, timewarp } from './testing.ts'

const missing = () => {
  throw new Fault('SNAPSHOT_NOT_FOUND', { id: 's_1' })
}

test('an answer is text on stdout and exits 0', async () => {
  expect((await timewarp(['snapshot'], { answers: SAMPLES })).screen).toMatchInlineSnapshot(`
    "Captured 2 files (2.0 KiB) in 7 ms: 2 added, 0 modified, 0 deleted; 1.0 KiB stored.
    Snapshot: s_20260228_153012_ab12cd
    Warning: big.iso is larger than max_file_bytes
    [exit 0]"
  `)
})

test('a fault is a sentence and a hint on stderr, with the exit code of its kind', async () => {
  expect((await timewarp(['show', 's_1'], { answers: { show: missing } })).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: There is no snapshot s_1
    Hint: List them with: timewarp log
    [exit 3]"
  `)
})

test('with --json stdout is the output and nothing else', async () => {
  const { out, err, code } = await timewarp(['pin', 's_1', '--json'], { answers: SAMPLES })
  expect(JSON.parse(out)).toEqual(SAMPLES.pin)
  expect([out.trim().includes('\n'), err, code]).toEqual([false, '', 0])
})

test('with --json a fault is one document on stdout', async () => {
  expect((await timewarp(['--json', 'show', 's_1'], { answers: { show: missing } })).screen).toMatchInlineSnapshot(`
    "{"error":{"code":"SNAPSHOT_NOT_FOUND","message":"There is no snapshot s_1","hint":"List them with: timewarp log","data":{"id":"s_1"}}}
    [exit 3]"
  `)
})

test('with --json a command line that is not understood is one document too, wherever the flag stands', async () => {
  for (const argv of [
    ['log', '--nonsense', '--json'],
    ['--json', 'nonsense'],
    ['show', '--json'],
  ]) {
    const { out, err, code } = await timewarp(argv)
    expect(Object.keys(JSON.parse(out).error)).toEqual(['code', 'message', 'hint', 'data'])
    expect([err, code]).toEqual(['', 2])
  }
  expect((await timewarp(['show', '--', '--json', 'x'])).out).toBe('')
})

test('what is thrown and is no fault is a bug and exits 70', async () => {
  const gc = () => {
    throw new TypeError('x is not a function')
  }
  expect((await timewarp(['gc'], { answers: { gc } })).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: Something went wrong inside Timewarp: x is not a function
    Hint: This is a bug. Your files and everything captured are safe; please report it.
    [exit 70]"
  `)
})

test('an input that the tool refuses points to the help of the verb', async () => {
  const get_edit_history = () => {
    throw new Fault('BAD_INPUT', { problem: 'limit: Too big: expected number to be <=100' })
  }
  expect((await timewarp(['log', '-n', '999'], { answers: { get_edit_history } })).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: limit: Too big: expected number to be <=100
    Hint: See: timewarp log --help
    [exit 2]"
  `)
})

test('an answer that is not simply good has its own exit code', async () => {
  expect((await timewarp(['fsck'], { answers: SAMPLES })).screen).toMatchInlineSnapshot(`
    "Damage found: 1 pack, 2 objects, 1 snapshot, 4.0 KiB read back.
    [exit 20]"
  `)
  expect((await timewarp(['fsck', '--json'], { answers: SAMPLES })).code).toBe(20)
})

test('cat gives the bytes as they are to a pipe, and makes them visible on a terminal', async () => {
  expect([...(await timewarp(['cat', 's_1', 'a'], { answers: SAMPLES })).bytes]).toEqual([0xff, 0x00, 0x0a])
  const { out } = await timewarp(['cat', 's_1', 'a'], { answers: SAMPLES, io: { outIsTerminal: true } })
  expect(out).toBe('\ufffd^@\n')
})

test('diff gives its bytes as they are to a pipe, UTF-8 or not', async () => {
  expect((await timewarp(['diff', 's_1'], { answers: SAMPLES })).out).toBe(
    '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n',
  )
  const latin = { ...(SAMPLES.diff as object), diff: '', diff_base64: '+un/rg==' }
  const { bytes } = await timewarp(['diff', 's_1'], { answers: { diff: latin } })
  expect(Buffer.from(bytes).toString('base64')).toBe('+un/rg==')
})

test('the answer is printed first, then it is settled, then the house is closed', async () => {
  expect((await timewarp(['pin', 's_1'], { answers: SAMPLES })).order).toEqual(['answered', 'settled', 'closed'])
  expect((await timewarp(['show', 's_1'], { answers: { show: missing } })).order).toEqual(['settled', 'closed'])
})

test('a failure to settle is a line on stderr and no other exit code', async () => {
  const settle = async () => {
    throw new Fault('NO_SPACE', { path: '/home/ann/.timewarp' })
  }
  const { screen, order } = await timewarp(['pin', 's_1'], { answers: SAMPLES, settle })
  expect(screen).toMatchInlineSnapshot(`
    "Pinned: s_20260228_153012_ab12cd
    Undo with: timewarp unpin s_20260228_153012_ab12cd
    ------- stderr -------
    Warning: Tidying up afterwards failed: There is no space left on the disk of /home/ann/.timewarp.
    [exit 0]"
  `)
  expect(order.at(-1)).toBe('closed')
})

test('a failure to close is a line on stderr and no other exit code', async () => {
  const close = () => {
    throw new Error('the database is locked')
  }
  const { err, code } = await timewarp(['pin', 's_1'], { answers: SAMPLES, close })
  expect([code, err]).toEqual([
    0,
    'Warning: Tidying up afterwards failed: Something went wrong inside Timewarp: the database is locked\n',
  ])
})

test('a signal closes the house and gives its exit code, whatever the tool was doing', async () => {
  let interrupt = (_code: number): void => {}
  const interrupted = new Promise<number>((resolve) => (interrupt = resolve))
  const gc = () => {
    interrupt(130)
    return new Promise<object>(() => {})
  }
  const { screen, order } = await timewarp(['gc'], { answers: { gc }, io: { interrupted } })
  expect([screen, order]).toEqual(['[exit 130]', ['closed']])
})

test('progress is one line on a terminal, written over and taken away before the answer', async () => {
  const pin: (typeof SAMPLES)[string] = ({ progress }) => {
    progress('Reading\x1b[2J files')
    progress('Reading files', 1200)
    progress('Reading files', 1200, 4800)
    return SAMPLES.pin as object
  }
  const run = (io: object, ...more: string[]) => timewarp(['pin', 's_1', ...more], { answers: { pin }, io })
  const onTerminal = await run({ errIsTerminal: true, columns: 30 })
  expect(JSON.stringify(onTerminal.err)).toMatchInlineSnapshot(
    `""\\r\\u001b[2KReading^[[2J files …\\r\\u001b[2KReading files … 1,200\\r\\u001b[2KReading files … 1,200/4,800 (\\r\\u001b[2K""`,
  )
  expect((await run({ errIsTerminal: false })).err).toBe('')
  expect((await run({ errIsTerminal: true }, '--json')).err).toBe('')
})

test('progress of what is quickly done is not shown', async () => {
  const pin: (typeof SAMPLES)[string] = ({ progress }) => {
    progress('Reading files', 1)
    return SAMPLES.pin as object
  }
  expect((await timewarp(['pin', 's_1'], { answers: { pin }, io: { errIsTerminal: true, now: () => 0 } })).err).toBe('')
})

test('colours are for terminals, unless the environment says otherwise', async () => {
  const colours = async (outIsTerminal: boolean, env: Record<string, string>) => {
    const { out } = await timewarp(['pin', 's_1'], {
      answers: SAMPLES,
      io: { outIsTerminal, env: { HOME: '/h', ...env } },
    })
    return out.includes('\x1b')
  }
  expect(await colours(true, {})).toBe(true)
  expect(await colours(false, {})).toBe(false)
  expect(await colours(true, { NO_COLOR: '1' })).toBe(false)
  expect(await colours(true, { NO_COLOR: '' })).toBe(true)
  expect(await colours(true, { TERM: 'dumb' })).toBe(false)
  expect(await colours(false, { FORCE_COLOR: '1' })).toBe(true)
  expect(await colours(true, { FORCE_COLOR: '0' })).toBe(false)
})

test('ids, faults and diffs have colours', async () => {
  const io = { outIsTerminal: true, errIsTerminal: true }
  const shown = async (...argv: string[]) => {
    const { out, err } = await timewarp(argv, { answers: { ...SAMPLES, show: missing }, io })
    return `${out}${err}`.replaceAll('\x1b[', '<').split('\n')
  }
  expect(await shown('pin', 's_1')).toMatchInlineSnapshot(`
    [
      "Pinned: <36ms_20260228_153012_ab12cd<0m",
      "Undo with: timewarp unpin <36ms_20260228_153012_ab12cd<0m",
      "",
    ]
  `)
  expect(await shown('show', 's_1')).toMatchInlineSnapshot(`
    [
      "<31mError:<0m There is no snapshot s_1",
      "<33mHint:<0m List them with: timewarp log",
      "",
    ]
  `)
  expect(await shown('diff', 's_1')).toMatchInlineSnapshot(`
    [
      "<1m--- a/a<0m",
      "<1m+++ b/a<0m",
      "<36m@@ -1 +1 @@<0m",
      "<31m-old<0m",
      "<32m+new<0m",
      "",
    ]
  `)
})

test('with --json there are no colours, and a terminal gets it indented', async () => {
  const { out } = await timewarp(['pin', 's_1', '--json'], { answers: SAMPLES, io: { outIsTerminal: true } })
  expect(out).toMatchInlineSnapshot(`
    "{
      "snapshot_id": "s_20260228_153012_ab12cd",
      "pinned": true,
      "already": false
    }
    "
  `)
})

test('nothing that somebody wrote into a label can steer the terminal', async () => {
  const label = { snapshot_id: 's_1', label: 'a\x1b[2J\x07\x9b1m\rb\tc', before: null }
  const { out } = await timewarp(['label', 's_1', 'x'], { answers: { label }, io: { outIsTerminal: true } })
  expect(out).toBe('Labelled "a^[[2J^G\\x9b1m^Mb\tc": s_1\n')
})

test('an unknown command names the nearest one', async () => {
  expect((await timewarp(['restor'])).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: There is no command "restor".
    Hint: Did you mean: timewarp restore
    [exit 2]"
  `)
  expect((await timewarp(['xyzzy'])).screen).toMatchInlineSnapshot(`
    "------- stderr -------
    Error: There is no command "xyzzy".
    Hint: See: timewarp --help
    [exit 2]"
  `)
  expect((await timewarp(['workspace_lst'])).err).toContain('Did you mean: timewarp workspace_list')
})

describe('a tool that has to be confirmed', () => {
  const needed = new Fault('CONFIRM_NEEDED', {
    tool: 'forget',
    would: 'Would purge 1 path.',
    confirm: 'abc',
    question: 'Forget 1 path from 1 snapshot?',
  })
  const forget = ({ input }: { input: Record<string, unknown> }): object => {
    if (input['confirm'] !== 'abc') throw needed
    return {
      pattern: 'a',
      paths: ['a'],
      snapshots: ['s_1'],
      objects_purged: 1,
      still_held: [],
      freed_bytes: 1,
      warnings: [],
    }
  }
  const on = (key: string) => timewarp(['forget', 'a'], { answers: { forget }, io: { key: async () => key } })

  test('is shown on a terminal, and done after one key', async () => {
    for (const piece of ['y', 'y\n', 'y\r', 'yes\n']) {
      const { code, out, calls } = await on(piece)
      expect({ code, calls: calls.length }).toEqual({ code: 0, calls: 2 })
      expect(out).toContain('Would purge 1 path.\nForget 1 path from 1 snapshot? [y/N] y\nPurged 1 path')
    }
  })

  test('is not done after any other key', async () => {
    for (const key of ['\r', 'n', 'n\n', '\ny', '', '\u0003']) {
      const { code, out, calls } = await on(key)
      expect({ code, calls: calls.length }).toEqual({ code: 4, calls: 1 })
      expect(out).toContain('Nothing was changed.')
    }
  })

  test('is refused where nobody can be asked', async () => {
    expect(await timewarp(['forget', 'a'], { answers: { forget } })).toMatchObject({ code: 4, calls: { length: 1 } })
    const json = await timewarp(['forget', 'a', '--json'], { answers: { forget }, io: { key: async () => 'y' } })
    expect(JSON.parse(json.out)).toMatchObject({ error: { code: 'CONFIRM_NEEDED', data: { confirm: 'abc' } } })
  })
})
