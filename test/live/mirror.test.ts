import * as fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newLive } from './kit.ts'

test('a mirror taken beside the daemon holds what the daemon stored', async () => {
  const live = newLive({ a: 'one\n' })
  await live.serve()
  await live.call('snapshot')
  live.workspace.write({ a: 'two\n' })
  const { snapshot_id } = (await live.call('snapshot')).json
  const dir = join(live.workspace.temp, 'mirror')
  expect((await live.tw(['mirror', dir, '--json'])).json).toMatchObject({ snapshots: 2 })
  const home = join(live.workspace.temp, 'other')
  const back = await live.tw(['mirror', dir, '--back', '--json'], {
    env: { TIMEWARP_HOME: home, TIMEWARP_DAEMON: 'off' },
  })
  expect(back.json).toMatchObject({ snapshots: 2 })
  const cat = await live.tw(['cat', snapshot_id, 'a'], { env: { TIMEWARP_HOME: home, TIMEWARP_DAEMON: 'off' } })
  expect(cat.stdout).toBe('two\n')
})

test('a mirror that was killed while it wrote its first manifest is carried on with', async () => {
  const live = newLive()
  await live.alone(['snapshot'])
  const dir = join(live.workspace.temp, 'mirror')
  fs.mkdirSync(join(dir, 'objects'), { recursive: true })
  fs.writeFileSync(join(dir, 'mirror.json.0123456789ab.tmp'), '{"for')
  expect((await live.alone(['mirror', dir, '--json'])).json).toMatchObject({ snapshots: 1 })
  expect(fs.readdirSync(dir).sort()).toEqual(['mirror.json', 'objects'])
  fs.writeFileSync(join(dir, 'mirror.json.notes.tmp'), 'mine')
  fs.rmSync(join(dir, 'mirror.json'))
  expect((await live.alone(['mirror', dir, '--json'])).json).toMatchObject({ error: { code: 'MIRROR_BAD' } })
})
