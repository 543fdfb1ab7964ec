import { expect, test } from 'vitest'
import { Fault, type FaultKind, KINDS } from '../base/fault.ts'
import { problemOf } from './refusal.ts'

test('pin: statuses of faults', () => {
  const statuses = Object.fromEntries(Object.keys(KINDS).map((kind) => [kind, KINDS[kind as FaultKind].http]))
  expect(statuses).toEqual({
    usage: 400,
    missing: 404,
    conflict: 409,
    busy: 503,
    corrupt: 500,
    cancelled: 499,
    bug: 500,
  })
})

test('what is busy says when to come back', () => {
  expect(problemOf(new Fault('STORE_BUSY', { path: '/store' }))).toMatchObject({
    status: 503,
    headers: { 'Retry-After': '1' },
  })
})

test('what nobody foresaw is a bug', () => {
  const { status, error } = problemOf(new TypeError('x is not a function'))
  expect(status).toBe(500)
  expect(JSON.parse(JSON.stringify(error))).toMatchObject({
    code: 'INTERNAL',
    data: { problem: 'x is not a function' },
  })
})
