import { describe, expect, test, vi } from 'vitest'
import { redact } from '../../src/secrets/redact.ts'

/** Texts of which each piece looks like the beginning of something. */
const UNITS: readonly string[] = [
  'aB3 ',
  'a@b: ',
  'key=',
  'password ',
  'docker login ',
  'password,user\n',
  '| password | a |\n|---|---|\n',
  'recovery codes: ab12-cd34, ',
  'passwords = ["a1b2c3", ',
  '"kty":"RSA","d":"',
]
const SIZE = 4000

/** How often a pattern is asked: counted, since time says nothing on a machine that others use. */
function calls(text: string): number {
  const asked = vi.spyOn(RegExp.prototype, 'exec')
  try {
    redact(text)
    return asked.mock.calls.length
  } finally {
    asked.mockRestore()
  }
}

describe('a text twice as long asks no more than about twice as often', () => {
  test.each(UNITS)('%j', (unit) => {
    const [once, twice] = [SIZE, 2 * SIZE].map((size) => calls(unit.repeat(Math.ceil(size / unit.length))))
    expect((twice ?? 0) / (once ?? 1)).toBeLessThan(2.5)
  })
})
