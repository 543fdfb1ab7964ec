import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { daemonFilesOf } from './daemon-files.ts'
import { ensure } from './start.ts'

/** A home whose daemon is another process, as far as a new one can tell. */
function taken() {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-start-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const error = { code: 'DAEMON_RUNNING', data: { home: dir, holder: 'somebody', since: 'now' } }
  writeFileSync(join(dir, 'daemon.cjs'), `process.stdout.write(${JSON.stringify(JSON.stringify({ error }))})`)
  const place = daemonFilesOf(join(dir, 'home'), {})
  mkdirSync(dirname(place.socket), { recursive: true, mode: 0o700 })
  return { place, ensured: () => ensure(join(dir, 'home'), join(dir, 'main.cjs'), place) }
}

test('one that has only just become the daemon is waited for', async () => {
  const { place, ensured } = taken()
  const server = createServer((_, answer) => answer.end('{"ok":true}'))
  onTestFinished(() => void server.close())
  setTimeout(() => server.listen(place.socket), 700)
  expect(await ensured()).toBe(false)
})

test('one that never serves is told of', async () => {
  await expect(taken().ensured()).rejects.toMatchObject({ code: 'DAEMON_RUNNING' })
})
