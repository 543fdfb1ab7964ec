import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { seed } from '../kit/rounds.ts'
import { play } from './play.ts'

/** A short run: `npm run test:long` plays more, `node test/harness/main.ts --minutes 60` for an hour. */

const FIRST = seed(1)

test.each([FIRST, FIRST + 1])(
  'whatever people and agents do, nothing outside changes and nothing answered is lost: %i',
  async (one) => {
    const { wrong, at, lines } = await play({ dir: tmpdir(), seed: one, steps: 20, mounts: false })
    const again = `node test/harness/main.ts --seed ${one} --steps ${at} --trace`
    expect(wrong, `${lines.slice(-25).join('\n')}\nAgain with: ${again}`).toEqual([])
  },
)
