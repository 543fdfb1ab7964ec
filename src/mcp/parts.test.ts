import { expect, test } from 'vitest'
import { chooseRoot } from './choose-root.ts'
import { Confirmations, callText } from './confirm.ts'
import { imageType } from './content.ts'
import { clientName } from './greeting.ts'
import { type ProgressStep, throttleProgress } from './throttle-progress.ts'
import { toolSetOf } from './tool-set.ts'
import { fileUri, parseUri, snapshotUri } from './uri.ts'

test('a confirmation counts once, for one call, for a while', () => {
  let now = 0
  let made = 0
  const confirmations = new Confirmations({ now: () => now, newToken: () => `t${++made}` })
  const call = callText('restore', { a: 1, b: { c: 2, d: 3 } })
  expect(call).toBe(callText('restore', { b: { d: 3, c: 2 }, a: 1 }))
  const first = confirmations.open(call, 'plan')
  expect([confirmations.redeem(first, call), confirmations.redeem(first, call)]).toEqual(['plan', undefined])
  expect(confirmations.redeem(confirmations.open(call, 'plan'), callText('restore', { a: 2 }))).toBeUndefined()
  const late = confirmations.open(call, 'plan')
  expect([confirmations.isFresh(late), confirmations.isFresh('other')]).toEqual([true, false])
  now = 500
  expect(confirmations.isFresh(late)).toBe(false)
  now = 10 * 60_000
  expect(confirmations.redeem(late, call)).toBeUndefined()
  const oldest = confirmations.open(call, 'plan')
  for (let i = 0; i < 200; i++) confirmations.open(call, 'plan')
  expect(confirmations.redeem(oldest, call)).toBeUndefined()
})

test('progress rises from part to part, and is told now and then', () => {
  let now = 0
  const steps: ProgressStep[] = []
  const progress = throttleProgress(
    (step) => steps.push(step),
    () => now,
  )
  const tell = (...told: Parameters<typeof progress>) => {
    progress(...told)
    now += 100
  }
  tell('scanning', 10, 20)
  tell('scanning', 20, 20)
  tell('writing', 0, 5)
  tell('writing', 5, 5)
  tell('thinking')
  expect(steps).toEqual([
    { progress: 10, total: 20, message: 'scanning' },
    { progress: 20, total: 20, message: 'scanning' },
    { progress: 21, total: 25, message: 'writing' },
    { progress: 25, total: 25, message: 'writing' },
    { progress: 26, message: 'thinking' },
  ])
  now = 0
  progress('thinking')
  expect(steps).toHaveLength(5)
})

test('a client may have many roots; a server works in one', () => {
  const roots = ['file:///a', 'https://example.org', 'file:///b%20c/'].map((uri) => ({ uri }))
  expect(chooseRoot(roots, undefined)).toBe('/a')
  expect(chooseRoot(roots, '/b c/src')).toBe('/b c')
  expect(chooseRoot(roots, '/elsewhere')).toBe('/a')
  expect(chooseRoot([{ uri: 'https://example.org' }], '/x')).toBeUndefined()
})

test('addresses lead back to what they name', () => {
  expect(parseUri(snapshotUri('s_1'))).toEqual({ kind: 'snapshot', id: 's_1' })
  expect(parseUri(fileUri('s_1', 'ä/b c/%41.txt'))).toEqual({ kind: 'file', id: 's_1', path: 'ä/b c/%41.txt' })
  expect(parseUri('timewarp://diff/s_1/present')).toEqual({ kind: 'diff', from: 's_1', to: 'present' })
  for (const wrong of ['', 'timewarp://', 'timewarp://snapshot/', 'timewarp://snapshot/s/other/x', 'file:///a'])
    expect(parseUri(wrong), wrong).toBeUndefined()
})

test('pictures are known by how they begin', () => {
  expect(imageType(Buffer.from('89504e470d0a1a0a00', 'hex'))).toBe('image/png')
  expect(imageType(Buffer.from('RIFF0000WEBPVP8 '))).toBe('image/webp')
  expect(imageType(Buffer.from('plain'))).toBeUndefined()
})

test('sets and single tools can be chosen; what is not asked for is not there', async () => {
  const names = async (choice?: string) => [...(await toolSetOf(choice)).keys()]
  const usual = await names()
  expect(usual).toEqual(expect.arrayContaining(['snapshot', 'status', 'apply_edits']))
  for (const absent of ['prune', 'gc', 'unpin', 'forget', 'uninstall', 'config']) expect(usual).not.toContain(absent)
  expect(await names('store')).toEqual(expect.arrayContaining(['prune', 'gc', 'unpin', 'forget']))
  expect(await names('timeline')).not.toContain('unpin')
  expect(await names('prune, revert,')).toEqual(['reverse_op', 'prune'])
  expect(await names('memo,workshop')).toEqual([])
  await expect(toolSetOf('timeline,nothing')).rejects.toMatchObject({
    code: 'TOOL_SET_UNKNOWN',
    data: { name: 'nothing', sets: expect.arrayContaining(['timeline', 'store']) },
  })
})

test('clients go by the names that the records know', () => {
  const names = [
    'claude-code',
    'codex-mcp-client',
    'gemini-cli-mcp-client',
    'opencode',
    'My Client 2.0',
    '42',
    undefined,
  ]
  expect(names.map(clientName)).toEqual(['claude', 'codex', 'gemini', 'opencode', 'my-client-2-0', 'mcp', 'mcp'])
})
