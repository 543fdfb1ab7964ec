import { describe, expect, test } from 'vitest'
import { type ConfigFile, configSchema, mergeConfig } from './config.ts'
import { askedSettings, stillAsked, WEAKENS, withoutSettings } from './config-trust.ts'

const DEFAULTS = mergeConfig([])

/** Each setting with a value that weakens, and where there is one a value that does not. */
const CASES: [setting: string, weaker: unknown, stronger?: unknown][] = [
  ['exclude', ['*']],
  ['exclude', ['!kept']],
  ['max_file_bytes', 1, 2 ** 40],
  ['budget.max_files', 10_000_000, 10],
  ['budget.max_bytes', null, 4],
  ['budget.min_free_bytes', 10],
  ['retention.mode', 'issues'],
  ['retention.tiers', []],
  ['retention.edits_days', 0, 1000],
  ['retention.manual_days', 0, 1000],
  ['retention.experiments_days', 0, 1000],
  ['retention.undo_steps', 0, 1000],
  ['retention.max_snapshots', 1],
  ['retention.max_bytes', 1],
  ['guard.protect_store', false],
  ['guard.pin_last', 'never', 'turn_end'],
  ['guard.mention_undo', false, true],
  ['git.protect', false],
  ['git.max_bytes', 1, 2 ** 40],
  ['attribution.window_s', 1, 3600],
  ['daemon', false],
  ['schedule.every_minutes', 0, 1],
  ['schedule.every_minutes', 60, 1],
  ['schedule.debounce_seconds', 1000, 1],
  ['http.port', 8080],
  ['secrets.paths', [], [...DEFAULTS.secrets.paths, 'mine']],
  ['secrets.paths', [...DEFAULTS.secrets.paths, '!.env']],
  ['default_excludes', true, false],
  ['retention.auto', true, false],
]

function fileWith(setting: string, value: unknown): ConfigFile {
  const [group = '', name] = setting.split('.')
  return (name === undefined ? { [group]: value } : { [group]: { [name]: value } }) as ConfigFile
}

/** What holds before, so that the weaker value is a change. */
const HOLDS: Readonly<Record<string, unknown>> = {
  'budget.max_bytes': 5,
  'guard.pin_last': 'session_end',
  'guard.mention_undo': true,
  default_excludes: false,
  'retention.auto': false,
}
const holding = (setting: string) => mergeConfig([setting in HOLDS ? fileWith(setting, HOLDS[setting]) : {}])

describe('weakening', () => {
  test('is known of every setting, in some case', () => {
    const { properties } = JSON.parse(JSON.stringify(configSchema().toJSONSchema({ io: 'input' })))
    const names = Object.entries(properties as Record<string, { properties?: object }>).flatMap(([key, inner]) =>
      inner.properties ? Object.keys(inner.properties).map((name) => `${key}.${name}`) : [key],
    )
    expect(Object.keys(WEAKENS).sort()).toEqual(names.sort())
    expect([...new Set(CASES.map(([setting]) => setting))].sort()).toEqual(names.sort())
  })

  test.each(CASES)('%s: %j weakens', (setting, weaker) => {
    expect(askedSettings(holding(setting), fileWith(setting, weaker))).toMatchObject([{ setting, weakens: true }])
  })

  test.each(CASES.filter(([, , stronger]) => stronger !== undefined))(
    '%s: the other way does not',
    (setting, _, stronger) => {
      const holds = HOLDS[setting] === stronger ? DEFAULTS : holding(setting)
      expect(askedSettings(holds, fileWith(setting, stronger)).filter(({ weakens }) => weakens)).toEqual([])
    },
  )

  test('is nothing where the file asks for what holds', () => {
    expect(askedSettings(mergeConfig([{ exclude: ['a', 'b'] }]), { exclude: ['b'], daemon: true })).toEqual([])
  })
})

test('settings are left out by name, and what a file no longer asks for is not kept', () => {
  const file: ConfigFile = { $schema: 's', daemon: true, retention: { auto: true, undo_steps: 1 }, exclude: ['a', 'b'] }
  expect(withoutSettings(file, new Set(['retention.auto', 'daemon']))).toEqual({
    retention: { undo_steps: 1 },
    exclude: ['a', 'b'],
  })
  expect(stillAsked(file, { retention: { auto: false }, exclude: ['b', 'c'] })).toEqual({
    retention: { auto: true },
    exclude: ['b'],
  })
})
