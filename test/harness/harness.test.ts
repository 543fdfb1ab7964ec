import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { play } from './play.ts'

/** A short run: `npm run test:long` plays more, `node test/harness/main.ts --minutes 60` for an hour. */

test.each([1, 2, 3])(
  'whatever people and agents do, nothing outside changes and nothing answered is lost: %i',
  async (seed) => {
    const { wrong, at, lines } = await play({ dir: tmpdir(), seed, steps: 60, until: Date.now() + 7000, mounts: false })
    const again = `node test/harness/main.ts --seed ${seed} --steps ${at} --trace`
    expect(wrong, `${lines.slice(-25).join('\n')}\nAgain with: ${again}`).toEqual([])
  },
)
