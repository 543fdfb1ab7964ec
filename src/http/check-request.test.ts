import { describe, expect, test } from 'vitest'
import type { Listener } from './api.ts'
import { checkRequest, type RequestFacts } from './check-request.ts'

const loopback: Listener = { kind: 'loopback', proof: 'p', token: 'secret', port: () => 4321 }
const socket: Listener = { kind: 'socket' }
const good = { host: '127.0.0.1:4321', authorization: 'Bearer secret' }

const visit = (headers: RequestFacts['headers'], url = '/v1/tools', method = 'GET'): RequestFacts => {
  const [path = '', query = ''] = url.split('?')
  return { method, path, query: new URLSearchParams(query), headers }
}

describe('the loopback door', () => {
  test.each([
    ['the right host and token', good, undefined],
    ['localhost', { ...good, host: 'localhost:4321' }, undefined],
    ['IPv6', { ...good, host: '[::1]:4321' }, undefined],
    ['a host in capitals', { ...good, host: 'LocalHost:4321' }, undefined],
    ['no host', { authorization: 'Bearer secret' }, 'HOST_REFUSED'],
    ['another host, as after DNS rebinding', { ...good, host: 'evil.example:4321' }, 'HOST_REFUSED'],
    ['a host that begins like ours', { ...good, host: '127.0.0.1:4321.evil.example' }, 'HOST_REFUSED'],
    ['another port', { ...good, host: '127.0.0.1:4322' }, 'HOST_REFUSED'],
    ['no port', { ...good, host: '127.0.0.1' }, 'HOST_REFUSED'],
    ['our own origin', { ...good, origin: 'http://localhost:4321' }, undefined],
    ['another origin', { ...good, origin: 'http://evil.example' }, 'ORIGIN_REFUSED'],
    ['the origin of another port', { ...good, origin: 'http://localhost:5173' }, 'ORIGIN_REFUSED'],
    ['our host over https', { ...good, origin: 'https://localhost:4321' }, 'ORIGIN_REFUSED'],
    ['the origin of a file or a sandbox', { ...good, origin: 'null' }, 'ORIGIN_REFUSED'],
    ['an empty origin', { ...good, origin: '' }, 'ORIGIN_REFUSED'],
    ['our own page', { ...good, 'sec-fetch-site': 'same-origin' }, undefined],
    ['an address typed by hand', { ...good, 'sec-fetch-site': 'none' }, undefined],
    ['another port of the same site', { ...good, 'sec-fetch-site': 'same-site' }, 'SITE_REFUSED'],
    ['another site', { ...good, 'sec-fetch-site': 'cross-site' }, 'SITE_REFUSED'],
    ['no token', { host: good.host }, 'TOKEN_REFUSED'],
    ['a wrong token', { ...good, authorization: 'Bearer secreT' }, 'TOKEN_REFUSED'],
    ['the beginning of the token', { ...good, authorization: 'Bearer secre' }, 'TOKEN_REFUSED'],
    ['more than the token', { ...good, authorization: 'Bearer secrets' }, 'TOKEN_REFUSED'],
    ['an empty token', { ...good, authorization: 'Bearer ' }, 'TOKEN_REFUSED'],
    ['another scheme', { ...good, authorization: 'Basic secret' }, 'TOKEN_REFUSED'],
    ['a scheme in small letters', { ...good, authorization: 'bearer secret' }, undefined],
  ])('%s', (_, headers, refused) => {
    expect(checkRequest(loopback, visit(headers))).toBe(refused)
  })

  test.each([
    ['events', 'GET', '/v1/events?token=secret', undefined],
    ['events with a wrong one', 'GET', '/v1/events?token=secre', 'TOKEN_REFUSED'],
    ['events by another method', 'POST', '/v1/events?token=secret', 'TOKEN_REFUSED'],
    ['tools', 'GET', '/v1/tools?token=secret', 'TOKEN_REFUSED'],
    ['a call', 'POST', '/v1/call/status?token=secret', 'TOKEN_REFUSED'],
    ['a path that only looks like events', 'GET', '/v1/events/?token=secret', 'TOKEN_REFUSED'],
  ])('a token in the address: %s', (_, method, url, refused) => {
    expect(checkRequest(loopback, visit({ host: good.host }, url, method))).toBe(refused)
  })

  test('a wrong header is not made good by the address', () => {
    const headers = { ...good, authorization: 'Bearer wrong' }
    expect(checkRequest(loopback, visit(headers, '/v1/events?token=secret'))).toBe('TOKEN_REFUSED')
  })

  test('without a token of its own it lets nobody in', () => {
    const open: Listener = { ...loopback, token: '' }
    expect(checkRequest(open, visit({ host: good.host }))).toBe('TOKEN_REFUSED')
    expect(checkRequest(open, visit({ host: good.host }, '/v1/events?token='))).toBe('TOKEN_REFUSED')
  })
})

describe('the socket', () => {
  test.each([
    ['anybody who can open it', {}, undefined],
    ['any host', { host: 'daemon' }, undefined],
    ['a browser', { origin: 'http://localhost:4321' }, 'ORIGIN_REFUSED'],
  ])('%s', (_, headers, refused) => {
    expect(checkRequest(socket, visit(headers))).toBe(refused)
  })
})
