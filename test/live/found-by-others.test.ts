import { expect, test } from 'vitest'
import { newLive } from './kit.ts'

test('a folder that another process has captured meanwhile is watched as well', async () => {
  const live = newLive({ a: '1' })
  await live.alone(['snapshot'])
  await live.serve()
  // It watches what is known, and keeps nothing of this look.
  await live.tw(['status'])
  live.workspace.write({ 'src/b': 'one' })
  await live.alone(['snapshot'])
  await live.tw(['snapshot'])
  expect((await live.tw(['status', '--json'])).json.watch.sight).toBe('warm')
  live.workspace.write({ 'src/b': 'another' })
  expect((await live.tw(['snapshot', '--json'])).json).toMatchObject({ created: true, modified: 1 })
})
