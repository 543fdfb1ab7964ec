import { expect, test } from 'vitest'
import { runMatrix, runTyped, SURFACES } from '../hostile/matrix.ts'
import { rounds } from '../kit/rounds.ts'

test.each(SURFACES)('two hundred hostile paths in every field of every tool, by %s', async (surface) => {
  expect(await runMatrix(surface, rounds(100) / 100)).toBeGreaterThan(rounds(5000) / 2)
})

test.each([true, false])('hostile paths on the command line, with a daemon: %s', async (daemon) => {
  expect(await runTyped(daemon, rounds(60), 13)).toBeGreaterThan(rounds(700) / 2)
})
