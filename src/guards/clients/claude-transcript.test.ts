import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { answeredCalls } from './claude-transcript.ts'

const idsOf = (...asked: Parameters<typeof answeredCalls>): string[] => answeredCalls(...asked).map(({ id }) => id)

const result = (...ids: readonly string[]): string =>
  JSON.stringify({
    type: 'user',
    message: { role: 'user', content: ids.map((id) => ({ type: 'tool_result', tool_use_id: id, content: 'x' })) },
  })

function written(lines: readonly string[], name = 'one.jsonl'): string {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-transcript-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(dirname(join(dir, name)), { recursive: true })
  writeFileSync(join(dir, name), lines.join('\n'))
  return join(dir, 'one.jsonl')
}

test('a call is answered when its result was written down, however long ago', () => {
  const long = JSON.stringify({ type: 'user', message: { content: 'y'.repeat(1000) } })
  const transcript_path = written([
    result('before'),
    ...Array(200).fill(long),
    result('a', 'b'),
    ...Array(200).fill(long),
  ])
  expect(idsOf({ transcript_path }, ['b', 'c', 'a'])).toEqual(['b', 'a'])
})

test('a result that is only spoken of, or half written, answers nothing', () => {
  const spoken = JSON.stringify({ type: 'user', message: { role: 'user', content: `see ${result('a')}` } })
  const shown = JSON.stringify({ type: 'attachment', attachment: JSON.parse(result('a')) })
  const transcript_path = written([spoken, shown, result('a').slice(0, -3)])
  expect(idsOf({ transcript_path }, ['a'])).toEqual([])
})

test('a command that goes on in the background is not over', () => {
  const said = 'Command running in background with ID: b1. Output is being written to: /tmp/x'
  const of = (content: unknown) =>
    JSON.stringify({ message: { content: [{ type: 'tool_result', tool_use_id: 'a', content }] } })
  for (const content of [said, [{ type: 'text', text: said }]])
    expect(idsOf({ transcript_path: written([of(content)]) }, ['a'])).toEqual([])
  expect(idsOf({ transcript_path: written([of([{ type: 'text', text: 'done' }])]) }, ['a'])).toEqual(['a'])
})

test('when a call was answered is told, if it is written down', () => {
  const line = { ...JSON.parse(result('a')), timestamp: '2026-01-02T03:04:05.678Z' }
  const transcript_path = written([
    JSON.stringify(line),
    JSON.stringify({ ...JSON.parse(result('b')), timestamp: 'x' }),
  ])
  expect(answeredCalls({ transcript_path }, ['a', 'b'])).toEqual([
    { id: 'a', failed: false, at: Date.UTC(2026, 0, 2, 3, 4, 5, 678) },
    { id: 'b', failed: false },
  ])
})

test('a call that was denied has failed, as one that went wrong', () => {
  const said = (id: string, is_error?: boolean) =>
    JSON.stringify({ message: { content: [{ type: 'tool_result', tool_use_id: id, content: 'x', is_error }] } })
  const transcript_path = written([said('a', true), said('b', false), said('c')])
  expect(answeredCalls({ transcript_path }, ['a', 'b', 'c'])).toEqual([
    { id: 'a', failed: true },
    { id: 'b', failed: false },
    { id: 'c', failed: false },
  ])
})

test('a sub-agent’s are in its own transcript', () => {
  const transcript_path = written([result('a')], 'one/subagents/agent-x1.jsonl')
  expect(idsOf({ transcript_path, agent_id: 'x1' }, ['a'])).toEqual(['a'])
  expect(idsOf({ transcript_path, agent_id: '../x1' }, ['a'])).toEqual([])
  expect(idsOf({ transcript_path }, ['a'])).toEqual([])
})

test('no transcript, or none that is a file, answers nothing', () => {
  for (const transcript_path of [undefined, '', '/nonexistent', '/', '/dev/zero', 5])
    expect(idsOf({ transcript_path }, ['a'])).toEqual([])
})
