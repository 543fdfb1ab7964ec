import { expect, test } from 'vitest'
import { Refusal } from './refusal.ts'
import { findRoute } from './routes.ts'

const routeOf = (method: string, path: string, isOpen = true): unknown => {
  try {
    return findRoute(method, path, { command: isOpen, mcp: isOpen })
  } catch (error) {
    const { status, headers } = (error as Refusal).problem
    return headers['Allow'] === undefined ? status : `${status}, allowed: ${headers['Allow']}`
  }
}

test('pin: routes', () => {
  expect(routeOf('GET', '/v1/tools')).toEqual({ name: 'tools' })
  expect(routeOf('GET', '/v1/openapi.json')).toEqual({ name: 'openapi' })
  expect(routeOf('GET', '/v1/health')).toEqual({ name: 'health' })
  expect(routeOf('GET', '/v1/events')).toEqual({ name: 'events' })
  expect(routeOf('POST', '/v1/command')).toEqual({ name: 'command' })
  expect(routeOf('POST', '/v1/cancel')).toEqual({ name: 'cancel' })
  expect(routeOf('POST', '/v1/call/snapshot')).toEqual({ name: 'call', tool: 'snapshot' })
  for (const method of ['GET', 'POST', 'DELETE']) expect(routeOf(method, '/mcp')).toEqual({ name: 'mcp' })
})

test.each([
  '/',
  '/v1',
  '/v1/',
  '/v1/tools/',
  '/v1/call',
  '/v1/call/',
  '/v1/call/a/b',
  '/v1/call/%2e',
  '/v1/../v1/tools',
])('nothing is at %s', (path) => {
  expect(routeOf('GET', path)).toBe(404)
  expect(routeOf('POST', path)).toBe(404)
})

test.each(['constructor', '__proto__', 'toString'])('nothing is at %s, though every object has it', (path) => {
  expect(routeOf('GET', path)).toBe(404)
})

test('command lines and agents are not even known where they are not taken', () => {
  expect(routeOf('POST', '/v1/command', false)).toBe(404)
  expect(routeOf('POST', '/v1/cancel', false)).toBe(404)
  expect(routeOf('POST', '/mcp', false)).toBe(404)
})

test('a wrong method learns the right one', () => {
  expect(routeOf('GET', '/v1/call/snapshot')).toBe('405, allowed: POST')
  expect(routeOf('OPTIONS', '/v1/call/snapshot')).toBe('405, allowed: POST')
  expect(routeOf('POST', '/v1/tools')).toBe('405, allowed: GET')
  expect(routeOf('HEAD', '/v1/tools')).toBe('405, allowed: GET')
  expect(routeOf('PUT', '/mcp')).toBe('405, allowed: GET, POST, DELETE')
})
