import { expect, test } from 'vitest'
import { dueTasks, hasTime, type SmallPacks, type SystemLoad, type WorkspaceFacts } from './schedule.ts'

const MINUTE = 60_000
const NOW = 1_000_000_000
const PACE = { everyMs: 5 * MINUTE, debounceMs: 30_000 }
const EASY: SystemLoad = { load: 0.1, onBattery: false }

const facts = (some: Partial<WorkspaceFacts> = {}): WorkspaceFacts => ({
  id: 'w',
  watched: true,
  changed: false,
  busy: false,
  newest: NOW - 60 * MINUTE,
  captured: NOW - 60 * MINUTE,
  lastEvent: NOW - 60 * MINUTE,
  gitKept: NOW,
  ...some,
})

function planned(some: Partial<WorkspaceFacts>, strain = EASY, lastCall = 0, lastUpkeep = NOW): string[] {
  return dueTasks(NOW, [facts(some)], PACE, strain, lastCall, lastUpkeep)
    .map((duty) => duty.do)
    .filter((duty) => duty !== 'settle')
}

test.each<[string, Partial<WorkspaceFacts>, string[]]>([
  ['nothing changed: no capture', {}, []],
  ['something changed, and five minutes are over', { changed: true }, ['capture']],
  ['not sooner', { changed: true, captured: NOW - 4 * MINUTE }, []],
  ['a snapshot of somebody else counts', { changed: true, newest: NOW - 4 * MINUTE }, []],
  ['not while somebody looks at it', { changed: true, busy: true }, []],
  ['a workspace that is not watched is taken up', { watched: false }, ['take up']],
  ['git is looked at as often', { gitKept: NOW - 5 * MINUTE }, ['keep git']],
  ['git is not looked at sooner', { gitKept: NOW - 4 * MINUTE }, []],
  ['git waits for whoever is busy', { gitKept: 0, busy: true }, []],
])('%s', (_, some, expected) => {
  expect(planned(some)).toEqual(expected)
})

test('automatic captures keep their distance from the newest snapshot, whatever the pace', () => {
  const quick = { everyMs: 1000, debounceMs: 30_000 }
  const at = (newest: number) =>
    dueTasks(NOW, [facts({ changed: true, newest, captured: 0 })], quick, EASY, 0, NOW).map((duty) => duty.do)
  expect(at(NOW - 29_000)).not.toContain('capture')
  expect(at(NOW - 30_000)).toContain('capture')
})

test('every_minutes 0 captures nothing by itself', () => {
  const never = { everyMs: 0, debounceMs: 0 }
  expect(dueTasks(NOW, [facts({ changed: true })], never, EASY, 0, NOW).map((duty) => duty.do)).toEqual(['settle'])
})

test('a machine under load is left alone; on battery only what can wait waits', () => {
  const heavy = { load: 3, onBattery: false }
  const battery = { load: 0, onBattery: true }
  expect(planned({ changed: true }, heavy)).toEqual([])
  expect(planned({ changed: true }, battery)).toEqual(['capture'])
  expect(planned({}, battery, 0, 0)).toEqual([])
})

test('upkeep comes hourly, when nobody asks for anything', () => {
  expect(planned({}, EASY, 0, NOW - 61 * MINUTE)).toEqual(['upkeep'])
  expect(planned({}, EASY, NOW - 5000, NOW - 61 * MINUTE)).toEqual([])
  expect(planned({}, EASY, 0, NOW - 59 * MINUTE)).toEqual([])
})

test('one heavy thing at a time', () => {
  const both = [facts({ id: 'a', changed: true }), facts({ id: 'b', changed: true })]
  const capturing = dueTasks(NOW, both, PACE, EASY, 0, NOW).filter((duty) => duty.do === 'capture')
  expect(capturing).toEqual([{ do: 'capture', workspace: 'a' }])
})

test('small packs are merged in a pause, and without one when there are far too many', () => {
  const merges = (packs: SmallPacks, lastCall: number, load = 0.1) =>
    dueTasks(NOW, [facts()], PACE, { load, onBattery: false }, lastCall, NOW, packs).some((duty) => duty.do === 'merge')
  expect(merges('few', 0)).toBe(false)
  expect(merges('many', 0)).toBe(true)
  expect(merges('many', 0, 5)).toBe(true)
  expect(merges('many', NOW - 1000)).toBe(false)
  expect(merges('far too many', NOW - 1000)).toBe(true)
  expect(merges('far too many', NOW - 1000, 5)).toBe(false)
})

test('there is time for what can wait when nothing happens and the machine has power', () => {
  const at = (some: Partial<WorkspaceFacts>, strain = EASY, lastCall = 0) =>
    hasTime(NOW, [facts(some)], strain, lastCall)
  expect(at({})).toBe(true)
  expect(at({ lastEvent: NOW - 1000 })).toBe(false)
  expect(at({ busy: true })).toBe(false)
  expect(at({}, { load: 3, onBattery: false })).toBe(false)
  expect(at({}, { load: 0, onBattery: true })).toBe(false)
  expect(at({}, EASY, NOW - 5000)).toBe(false)
})
