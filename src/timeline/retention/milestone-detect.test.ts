import { expect, test } from 'vitest'
import { type DetectedStep, detectMilestones, RULES } from './milestone-detect.ts'

const MINUTE = 60_000
/** One step per minute unless a pause is given; each is named by its place. */
function steps(...given: (Partial<DetectedStep> & { pause?: number })[]): DetectedStep[] {
  let at = 0
  return given.map(({ pause = 1, ...over }, i) => ({
    id: String(i),
    created_at: (at += pause * MINUTE),
    tool: null,
    label: null,
    description: null,
    paths: ['src/a.ts'],
    ...over,
  }))
}
const found = (given: DetectedStep[], now = given.at(-1)?.created_at ?? 0) =>
  detectMilestones(given, { pauseMinutes: 30, now }).map(
    ({ rule, steps: of }) => `${rule} ${of.map(({ id }) => id).join('')}`,
  )

test('work that has not ended is not proposed', () => {
  expect(found([])).toEqual([])
  expect(found(steps({}, {}, {}))).toEqual([])
})

test.each([
  ['all tests passed', 'tests_passed'],
  ['Test suite is green', 'tests_passed'],
  ['passes all tests', 'tests_passed'],
  ['12 passed, 0 failed', 'tests_passed'],
  ['单元测试全部通过', 'tests_passed'],
  ['Login is done', 'said_done'],
  ['Phase one complete', 'said_done'],
  ['完成用户认证功能', 'said_done'],
])('%s: %s', (description, rule) => {
  expect(found(steps({}, { description }, {}))).toEqual([`${rule} 01`])
  expect(found(steps({}, { label: description }, {}))).toEqual([`${rule} 01`])
})

test.each([
  'tests did not pass',
  'no tests passed',
  '3 passed, 2 failed',
  'not done yet',
  "isn't finished",
  'unfinished',
  '尚未完成',
  '测试没有通过',
  'Complete the form',
  'abandoned',
  '',
])('no end: %s', (description) => {
  expect(found(steps({}, { description }, {}))).toEqual([])
})

test('a tool whose name says that tests passed ends the work; a snapshot without changes may say it', () => {
  expect(found(steps({}, { tool: 'tests passed' }))).toEqual(['tests_passed 01'])
  expect(found(steps({}, {}, { label: 'done', paths: [] }))).toEqual(['said_done 01'])
  expect(found(steps({ label: 'done', paths: [] }))).toEqual([])
})

test('a pause ends the work, also when nothing came after it', () => {
  expect(found(steps({}, {}, { pause: 29 }))).toEqual([])
  expect(found(steps({}, {}, { pause: 30 }, {}))).toEqual(['long_pause 01'])
  expect(found(steps({}, {}), 32 * MINUTE)).toEqual(['long_pause 01'])
})

test('going on to other top-level folders ends the work', () => {
  const [web, api, both] = [['web/a.ts'], ['api/b.ts'], ['web/a.ts', 'api/b.ts']]
  expect(found(steps({ paths: web }, { paths: web }, { paths: api }))).toEqual(['other_module 01'])
  expect(found(steps({ paths: web }, { paths: both }, { paths: api }))).toEqual([])
  expect(found(steps({ paths: web }, { paths: api }, { paths: web }, { paths: api }))).toEqual([])
  expect(found(steps({ paths: ['README.md'] }, { paths: ['a.md'] }, { paths: api }))).toEqual(['other_module 01'])
})

test('each rule closes what the one before left open', () => {
  const given = steps({}, { label: 'done' }, {}, {}, { paths: ['docs/x.md'] }, { pause: 45 })
  expect(found(given)).toEqual(['said_done 01', 'other_module 23', 'long_pause 4'])
  expect(RULES.map(({ name }) => name)).toEqual(['tests_passed', 'said_done', 'long_pause', 'other_module'])
})
