import { expect, test } from 'vitest'
import type { GuardEvent } from '../clients/event.ts'
import { OpenCalls } from './open-calls.ts'

const event = (what: GuardEvent['event'], call_id?: string, more: Partial<GuardEvent> = {}): GuardEvent => ({
  event: what,
  workspace: '/ws',
  session_id: 's',
  client: 'claude',
  call_id,
  kind: 'shell',
  ...more,
})

/** What is made of events, and which calls were asked about. */
function desk(answers: readonly string[] = [], failed = true) {
  const open = new OpenCalls()
  const asked: (readonly string[])[] = []
  const tell = (...events: GuardEvent[]) =>
    open
      .note(events, (calls) => {
        asked.push(calls)
        return calls.filter((id) => answers.includes(id)).map((id) => ({ id, failed }))
      })
      .map(({ event: what, call_id, call_ids }) => [what, call_id ?? call_ids])
  return { tell, asked }
}

test('a call that was answered without an end is over before the next one begins', () => {
  const { tell } = desk(['denied'])
  tell(event('call_start', 'denied'))
  tell(event('call_start', 'runs'))
  expect(tell(event('call_start', 'next'))).toEqual([['call_start', 'next']])
  const again = desk(['denied'])
  again.tell(event('call_start', 'denied'))
  expect(again.tell(event('call_start', 'next'))).toEqual([
    ['calls_done', ['denied']],
    ['call_start', 'next'],
  ])
})

test('a turn’s end finds those, too; what goes on in the background is not among them', () => {
  const { tell } = desk(['denied', 'b'])
  expect(tell(event('call_start', 'b', { background: true }), event('call_start', 'denied'))).toEqual([
    ['call_start', 'b'],
    ['call_start', 'denied'],
  ])
  expect(tell(event('turn_end'))).toEqual([
    ['calls_done', ['denied']],
    ['turn_end', undefined],
  ])
})

test('nobody is asked when every call had its end, when all of them ended, or for another session', () => {
  const { tell, asked } = desk()
  tell(event('call_start', 'a'), event('call_end', 'a'), event('call_start', 'b'))
  for (const end of ['prompt', 'session_end', 'session_start'] as const) {
    tell(event('call_start', end), event(end), event('call_start', 'c'))
    tell(event('call_end', 'c'))
  }
  tell(event('call_start', 'd', { session_id: 'other' }))
  tell(event('call_start', 'reading', { kind: 'read' }), event('call_start', 'sub', { kind: 'delegate' }))
  expect(asked.flat()).toEqual(['b'])
})

test('the end of an edit that went well is on its way, of anything else it was lost', () => {
  const { tell, asked } = desk(['edit', 'command'], false)
  expect(tell(event('call_start', 'edit', { kind: 'edit' }), event('call_start', 'command'))).toEqual([
    ['call_start', 'edit'],
    ['call_start', 'command'],
  ])
  expect(tell(event('call_start', 'next'))).toEqual([
    ['calls_done', ['command']],
    ['call_start', 'next'],
  ])
  tell(event('call_start', 'last'))
  expect(asked.at(-1)).toEqual(['next'])
})
