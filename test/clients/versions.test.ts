import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { CLIENT_NAMES, CLIENTS } from '../../scripts/clients.ts'
import { withClient } from './kit.ts'

for (const name of CLIENT_NAMES)
  withClient(name, (program) => {
    test('the client is the version that was pinned', () => {
      expect(execFileSync(program, ['--version'], { encoding: 'utf8', timeout: 60_000 })).toContain(
        CLIENTS[name].version,
      )
    })
  })
