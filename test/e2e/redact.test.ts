import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { rounds } from '../kit/rounds.ts'
import { newWorkspace } from '../kit/workspace.ts'
import { drawer, lot } from '../secrets/secrets.ts'

const draw = drawer(lot(11))
const word = () => draw('abcdefghijkmnopqrstuvwxyz23456789', 14)

/** Everything a process prints when it is given this. */
async function through(
  child: ChildProcess,
  input: Iterable<Uint8Array | string>,
): Promise<{ out: Buffer; peak: number }> {
  const parts: Buffer[] = []
  let peak = 0
  child.stdout?.on('data', (part: Buffer) => {
    parts.push(part)
    peak = Math.max(peak, peakOf(child.pid ?? 0))
  })
  const ended = once(child, 'close')
  for (const part of input) if (child.stdin?.write(part) === false) await once(child.stdin, 'drain')
  child.stdin?.end()
  expect(await ended).toEqual([0, null])
  return { out: Buffer.concat(parts), peak }
}

/** The most memory a process ever had, in bytes; 0 where nobody tells. */
function peakOf(pid: number): number {
  try {
    return Number(/VmHWM:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1] ?? 0) * 1024
  } catch {
    return 0
  }
}

test('redact copies what is no secret byte for byte', async () => {
  const workspace = newWorkspace({ '.env': 'LAUNCH_CODE=quokka-42-zanzibar\n' })
  const odd = Buffer.from([0xff, 0xc3, 0x28])
  const text = `\r\n{"password": "${word()}"}\r\nthe code is quokka-42-zanzibar, 😀 no newline`
  const { out } = await through(workspace.start(['redact']), [odd, text])
  const clean = '\r\n{"password": "***REDACTED***"}\r\nthe code is ***REDACTED***, 😀 no newline'
  expect(out).toEqual(Buffer.concat([odd, Buffer.from(clean)]))
})

test('redact takes a text of any size in little memory', async () => {
  const workspace = newWorkspace()
  const secret = word()
  const block = `${'an ordinary line of a long log, with nothing in it\n'.repeat(1000)}export DB_PASSWORD=${secret}\n`
  const times = rounds(4000, 200)
  function* blocks() {
    for (let i = 0; i < times; i++) yield block
  }
  const { out, peak } = await through(workspace.start(['redact']), blocks())
  expect(out.includes(secret)).toBe(false)
  expect(out.length).toBe(times * (block.length + '***REDACTED***'.length - secret.length))
  expect(peak).toBeLessThan(250 * 1024 * 1024)
})

test('the tool counts what it takes out, and knows the workspace it is told of', async () => {
  const workspace = newWorkspace({ '.env': 'LAUNCH_CODE=quokka-42-zanzibar\n' })
  await workspace.call('workspace_init', {})
  const text = `export A_TOKEN=${word()}\nquokka-42-zanzibar`
  expect(await workspace.call('redact', { text })).toEqual({
    text: 'export A_TOKEN=***REDACTED***\n***REDACTED***',
    redacted: 2,
  })
})

test('with --json the answer is one document', async () => {
  const workspace = newWorkspace()
  const { out } = await through(workspace.start(['redact', '--json']), [`password: "${word()}"`])
  expect(JSON.parse(out.toString())).toEqual({ text: 'password: "***REDACTED***"', redacted: 1 })
})
