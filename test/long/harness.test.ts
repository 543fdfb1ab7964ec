import { tmpdir } from 'node:os'
import { expect, test } from 'vitest'
import { mix } from '../../bench/random.ts'
import { play } from '../harness/play.ts'
import { rounds, seed } from '../kit/rounds.ts'

/** One story after the other; of each, all that was answered is brought back in the end. */

const STORIES = rounds(50)

test(`${STORIES} stories of what people and agents do`, async () => {
  const first = seed()
  for (let story = 0; story < STORIES; story++) {
    const one = mix(first, story)
    const { wrong, at, lines } = await play({ dir: tmpdir(), seed: one, steps: 60 })
    const again = `node test/harness/main.ts --seed ${one} --steps ${at} --trace`
    expect(wrong, `${lines.slice(-25).join('\n')}\nAgain with: ${again}`).toEqual([])
  }
})
