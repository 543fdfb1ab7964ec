import { expect, test } from 'vitest'
import type { SnapshotRecord } from '../../records/snapshot-record.ts'
import { authorOf, groupByPrompt, messageOf, subjectOf } from './export-plan.ts'

const made = (id: string, cause: object, told: object = {}): SnapshotRecord =>
  ({ id, description: null, label: null, cause: { role: 'change', ...cause }, ...told }) as SnapshotRecord

test('snapshots of one prompt are one commit, the others each its own', () => {
  const prompts = ['p1', 'p1', undefined, undefined, 'p2', 'p1']
  const snapshots = prompts.map((prompt_id, i) => made(`s_${i}`, { prompt_id }))
  const ids = groupByPrompt(snapshots).map((group) => group.map(({ id }) => id).join(' '))
  expect(ids).toEqual(['s_0 s_1', 's_2', 's_3', 's_4', 's_5'])
})

test('a message has every snapshot and each fact once', () => {
  const cause = { session_id: 'sess_1', prompt_id: 'p1', tool: 'edit', actor: 'a\nTimewarp-Tool: forged' }
  expect(messageOf([made('s_1', cause), made('s_2', { ...cause, tool: 'rm' })], 'What')).toMatchInlineSnapshot(`
    "What

    Timewarp-Snapshot: s_1
    Timewarp-Snapshot: s_2
    Timewarp-Session: sess_1
    Timewarp-Prompt: p1
    Timewarp-Tool: edit
    Timewarp-Tool: rm
    Timewarp-Actor: a Timewarp-Tool: forged
    "
  `)
})

test('the subject is what was wished for, what was told, the tool, or the id', () => {
  const [plain, tool] = [made('s_1', {}), made('s_1', { tool: 'edit' })]
  const told = made('s_2', {}, { label: 'label', description: 'one\0\ntwo' })
  expect([subjectOf([told], 'wish'), subjectOf([told, plain]), subjectOf([tool]), subjectOf([plain], ' ')]).toEqual([
    'wish',
    'one two',
    'edit',
    'Snapshot s_1',
  ])
})

test('a name that git would refuse is no author', () => {
  const author = (actor?: string) => authorOf([made('s_1', { actor })])
  expect([author('Bo <b>\n'), author('<>.'), author(''), author()]).toEqual(['Bo b', undefined, undefined, undefined])
})
