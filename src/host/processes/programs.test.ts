import { delimiter } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { findProgram } from './programs.ts'

test('a folder of the PATH that cannot be looked into is passed over', () => {
  const before = process.env['PATH'] ?? ''
  onTestFinished(() => void (process.env['PATH'] = before))
  process.env['PATH'] = [`/${'n'.repeat(300)}`, before].join(delimiter)
  expect(findProgram('sh')?.path).toMatch(/\/sh$/)
})
