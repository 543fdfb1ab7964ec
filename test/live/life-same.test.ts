import { spawn } from 'node:child_process'
import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { answerOf, beginStore } from '../kit/workspace.ts'
import { gone, type Live, newLive, REPOSITORY } from './kit.ts'

/** Whoever does the work, the answer is the same. */

const BINARY = Buffer.from(Array.from({ length: 4096 }, (_, i) => (i * 7) % 256))

const at = (live: Live, path: string, content: string | Uint8Array): void => {
  live.workspace.write({ [path]: content })
  fs.utimesSync(live.workspace.at(path), 1_700_000_000, 1_700_000_000)
}

type Step = readonly string[] | ((live: Live) => void)

/** `ID` stands for the first snapshot. */
const STEPS: readonly Step[] = [
  ['status', '--json'],
  ['status'],
  ['log'],
  (live) => at(live, 'text', 'one\n'),
  (live) => at(live, 'gone', 'soon gone\n'),
  (live) => at(live, 'dir/binary', BINARY),
  ['init', '--json'],
  ['snapshot', '--json'],
  (live) => at(live, 'text', 'one\ntwo\n'),
  (live) => fs.rmSync(live.workspace.at('gone')),
  ['status', '--json'],
  ['status'],
  ['diff', 'ID', '--json'],
  ['diff', 'ID'],
  ['snapshot', '-m', 'second "one"', '--pin', '--json'],
  (live) => at(live, 'text', 'three\n'),
  ['snapshot'],
  ['log', '--json'],
  ['log', '--limit', '2'],
  ['show', 'latest~1', '--json'],
  ['show', 'ID'],
  ['diff', 'ID', 'latest', '--json'],
  ['diff', 'ID', 'latest', '--format', 'git'],
  ['diff', 'ID', 'latest', '--format', 'context', '--', 'text'],
  ['history', 'text', '--json'],
  ['history', 'gone'],
  ['cat', 'ID', 'text'],
  ['cat', 'ID', 'dir/binary'],
  ['cat', 'ID', 'dir/binary', '--json'],
  ['restore', 'ID', '--dry-run', '--json'],
  ['restore', 'ID', '--dry-run'],
  ['restore', 'ID', 'text', '--json'],
  ['undo', '--json'],
  ['redo', '--json'],
  ['undo'],
  ['label', 'ID', 'a name', '--json'],
  ['pin', 'ID', '--json'],
  ['workspaces', '--json'],
  ['config', '--json'],
  ['call', 'show', '{"snapshot_id":"latest"}'],
  ['cat', 'ID', 'nothing', '--json'],
  ['cat', 'ID', 'nothing'],
  ['cat', 'ID', '../outside', '--json'],
  ['show', 's_20200101_000000_aaaaaa', '--json'],
  ['show', 's_20200101_000000_aaaaaa'],
  ['show', '--json'],
  ['snapshot', '--nonsense', '--json'],
  ['snapshot', '--nonsense'],
  ['nonsense', '--json'],
  ['call', 'nonsense', '{}'],
  ['call', 'show', '{'],
  ['-C', '/', 'snapshot', '--json'],
  ['-C', '/usr', 'status', '--json'],
  ['restore', 'latest', 'nothing', '--json'],
]

/** Ids, hashes and times as what they are rather than which, so that two runs can be compared. */
function plain(live: Live, text: string): string {
  const seen = new Map<string, string>()
  const nth = (kind: string) => (found: string) => {
    if (!seen.has(found)) seen.set(found, `<${kind} ${seen.size}>`)
    return seen.get(found) as string
  }
  return (
    text
      .replaceAll(live.workspace.temp, '<temp>')
      .replace(/\b[swp]_?\d{8}_?\d{6}_?[0-9a-z]{6}\b/g, nth('id'))
      .replace(/\b[0-9a-f]{64}\b/g, nth('hash'))
      .replace(/\d{4}-\d\d-\d\d[T ]\d\d:\d\d(:\d\d(\.\d+)?)?Z?/g, '<time>')
      .replace(/("\w*_ms":|in )\d+( ms)?/g, '$1<ms>')
      // How many files share a block depends on who found them when.
      .replace(/("stored_(?:size|bytes)":)\d+|\d+ B stored/g, '$1<size>')
      // Only a daemon can tell how it watches.
      .replace(/"watch":(null|\{[^}]*\})|^Watched: .*\n/gm, '')
  )
}

async function runAll(live: Live): Promise<unknown[]> {
  const answers: unknown[] = []
  let first = ''
  for (const step of STEPS) {
    if (typeof step === 'function') {
      step(live)
      continue
    }
    const child = live.start(step.map((word) => (word === 'ID' ? first : word)))
    const bytes: Buffer[] = []
    child.stdout?.on('data', (part: Buffer) => bytes.push(part))
    const { exit, stdout, stderr, json } = await answerOf(child)
    first ||= step[0] === 'snapshot' ? (json?.snapshot_id ?? '') : ''
    const isBytes = step.join(' ') === 'cat ID dir/binary'
    answers.push({
      step,
      exit,
      stdout: isBytes ? Buffer.concat(bytes).toString('hex') : plain(live, stdout),
      stderr: plain(live, stderr),
    })
  }
  return answers
}

test('a long day of commands prints the same with and without a daemon, faults and all', async () => {
  const [served, alone] = [newLive({}), newLive({}, { env: { TIMEWARP_DAEMON: 'off' } })]
  await served.serve()
  beginStore(alone.home)
  const { pid } = served.card
  const [ours, theirs] = await Promise.all([runAll(served), runAll(alone)])
  expect(ours).toEqual(theirs)
  expect(theirs).toContainEqual(expect.objectContaining({ exit: 0, stdout: BINARY.toString('hex') }))
  const health = await served.health()
  expect(health.pid).toBe(pid)
  expect(health.calls).toBeGreaterThan(35)
  expect(alone.pids()).toEqual([])
})

/** What a shell script prints that pipes something into, or out of, `$0`. */
async function inShell(live: Live, script: string, ...words: string[]) {
  const child = spawn('bash', ['-c', script, join(REPOSITORY, 'bin/timewarp'), ...words], {
    cwd: live.root,
    env: live.environment(),
  })
  return answerOf(child)
}

test('many bytes come through a pipe as they are, a reader may leave, and a full disk is told', async () => {
  const live = newLive({ a: '1' })
  const big = Buffer.alloc(24 * 1024 * 1024)
  for (let i = 0; i < big.length; i += 4) big.writeUInt32LE((i * 2_654_435_761) >>> 0, i)
  live.workspace.write({ big })
  await live.serve()
  await live.tw(['snapshot'])
  expect(await inShell(live, '"$0" cat latest big | cmp - big && echo same')).toMatchObject({ stdout: 'same\n' })
  expect(await inShell(live, 'set -o pipefail; "$0" cat latest big | head -c 4 | wc -c')).toMatchObject({
    exit: 0,
    stdout: '4\n',
    stderr: '',
  })
  const full = await inShell(live, '"$0" cat latest a > /dev/full')
  expect([full.exit, full.stderr]).toEqual([4, expect.stringContaining('The answer could not be written: ENOSPC')])
  expect(await live.health()).toMatchObject({ calls: 4 })
})

test('`call NAME -` takes its input from standard input, also when it comes slowly', async () => {
  const live = newLive()
  await live.serve()
  const said = await inShell(live, `(printf '{"label":'; sleep 0.3; printf '"slow"}') | "$0" call snapshot -`)
  expect(said.json).toMatchObject({ created: true })
  expect(await live.health()).toMatchObject({ calls: 1 })
  expect((await live.tw(['log', '--json'])).json.snapshots[0]).toMatchObject({ label: 'slow' })
  expect((await inShell(live, `printf '{,}' | "$0" call status -`)).json.error).toMatchObject({ code: 'BAD_INPUT' })
})

test.each([true, false])('edits take bytes from standard input as they are (daemon: %s)', async (isServed) => {
  const live = newLive({ text: 'a b\n' }, isServed ? {} : { env: { TIMEWARP_DAEMON: 'off' } })
  if (isServed) await live.serve()
  live.workspace.write({ '../bytes': BINARY, '../bom': '\ufeffone\r\ntwo' })
  const cmp = (name: string) => `"$0" write ${name} - --json < ../${name} && cmp ../${name} ${name} && echo same`
  for (const name of ['bytes', 'bom']) expect((await inShell(live, cmp(name))).stdout).toMatch(/same\n$/)
  await inShell(live, `printf '%s' '$& new' | "$0" edit text a -`)
  expect(live.workspace.read('text')).toBe('$& new b\n')
  const diff = `--- a/text\n+++ b/text\n@@ -1 +1 @@\n-$& new b\n+\\377\n`
  expect((await inShell(live, `printf -- '${diff}' | "$0" patch - --json`)).exit).toBe(0)
  expect(fs.readFileSync(live.workspace.at('text'))).toEqual(Buffer.from([0xff, 0x0a]))
  const refused = await inShell(live, `printf 'ab\\377' | "$0" edit bom one - --json`)
  expect(refused.json.error).toMatchObject({ code: 'BAD_INPUT', message: expect.stringContaining('see byte 3') })
  await inShell(live, '"$0" write dash -- - < /dev/null')
  expect(live.workspace.read('dash')).toBe('-')
  expect(await inShell(live, '"$0" edit text - - --json < /dev/null')).toMatchObject({ exit: 2 })
})

test('what the daemon declines is done by the client, with the input that was given', async () => {
  const live = newLive()
  await live.serve()
  await live.tw(['snapshot'])
  const { pid } = live.card
  expect((await inShell(live, `printf '{}' | "$0" call fsck -`)).json).toMatchObject({ ok: true })
  expect((await inShell(live, `printf '{"dry_run":true}' | "$0" call prune -`)).json).toMatchObject({ dry_run: true })
  expect((await inShell(live, `printf '{}' | "$0" call gc -`)).exit).toBe(0)
  // More than a daemon takes.
  const long = `head -c 9000000 /dev/zero | tr '\\0' x`
  const refused = await inShell(live, `(printf '{"snapshot_id":"'; ${long}; printf '"}') | "$0" call show -`)
  expect([refused.exit, refused.json.error.code]).toEqual([3, 'SNAPSHOT_NOT_FOUND'])
  expect(await live.health()).toMatchObject({ pid, calls: 1 })
  expect(live.pids()).toEqual([pid])
})

test('a dash that is a word of another command does not wait for standard input', async () => {
  const live = newLive({ '-': 'a file' })
  await live.serve()
  await live.tw(['snapshot'])
  // Its standard input stays open, and nothing comes.
  const answer = answerOf(live.start(['cat', 'latest', '-']))
  expect(await answer).toMatchObject({ exit: 0, stdout: 'a file' })
})

test('the heavy tools are done for HTTP, too, in a process of their own', async () => {
  const live = newLive()
  const child = await live.serve()
  await live.call('snapshot')
  expect((await live.call('fsck')).json).toMatchObject({ ok: true, problems: [] })
  expect((await live.call('materialise', { snapshot_id: 'nothing', dir: '/nowhere' })).json.error).toMatchObject({
    code: 'SNAPSHOT_NOT_FOUND',
  })
  await live.tw(['daemon', 'stop'])
  await gone(child.pid as number)
})
