import { expect, test, vi } from 'vitest'
import { meet, WAYS } from './kit.ts'

/** Consent to weaker settings is a person's: an agent can neither give it nor pass it on. */

const HOSTILE = '{"secrets":{"paths":[]}}'
const CHANGE = { key: 'secrets.paths', value: '[]' }

async function hostile(way: (typeof WAYS)[number], meeting: Parameters<typeof meet>[1] = {}) {
  const met = await meet(way, { args: ['--tools', 'timeline,setup'], ...meeting })
  await met.agent.call('snapshot')
  met.live.workspace.write({ '.timewarp/config.json': HOSTILE, '.env': 'KEY=verysecret\n' })
  const paths = async (): Promise<number> => (await met.agent.call('config')).out.settings.secrets.paths.length
  return { ...met, paths }
}

test.each(WAYS)('an agent without a form cannot trust, nor change settings: %s, %s', async (...way) => {
  const { agent, paths } = await hostile(way)
  for (const [tool, input] of [
    ['trust', {}],
    ['config', CHANGE],
    ['config', { ...CHANGE, home: true }],
  ] as const) {
    const asked = await agent.call(tool, input)
    expect([tool, asked.error.code]).toEqual([tool, 'PERSON_NEEDED'])
    expect(asked.error.data.confirm).toBeUndefined()
    const made = await agent.call(tool, { ...input, confirm: 'made-up' })
    expect([tool, made.error.code]).toEqual([tool, 'CONFIRM_WRONG'])
  }
  expect((await agent.call('trust', { dry_run: true })).out.asks[0].setting).toBe('secrets.paths')
  expect(await paths()).toBeGreaterThan(5)
})

test.each(WAYS)('a person who is asked and says yes can: %s, %s', async (...way) => {
  const user = vi.fn(() => ({ action: 'accept' as const, content: { confirm: true } }))
  const { agent, paths } = await hostile(way, { user })
  expect((await agent.call('trust')).out).toMatchObject({ changed: true })
  const asked = user.mock.calls[0] as unknown as [{ params: { message: string } }]
  expect(asked[0].params.message).toContain('secrets.paths: [] instead of')
  expect(await paths()).toBe(0)
})

test('neither tool is offered unless a person chose it', async () => {
  const { agent } = await meet(['stdio', 'legacy'])
  expect((await agent.toolNames()).filter((name) => name === 'trust' || name === 'config')).toEqual([])
})
