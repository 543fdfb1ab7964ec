import { expect, test } from 'vitest'
import { fuzz } from '../hostile/fuzz.ts'
import { rounds, seed } from '../kit/rounds.ts'

test.each(['library', 'http'] as const)(
  'ten thousand calls made up from the schemas meet no bug, by %s',
  async (over) => {
    const from = seed()
    const part = Math.max(1, Math.min(500, rounds(10_000)))
    for (let done = 0; done < rounds(10_000); done += part) expect(await fuzz(from + done, part, over)).toBe(part)
  },
)
