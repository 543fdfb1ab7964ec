/** Pins a snapshot, and takes its time in the middle of the transaction: between two files, `gone` and `begun`. */
import { existsSync, writeFileSync } from 'node:fs'
import { openApp } from '../../src/app/app.ts'
import { sleepSync } from '../../src/host/clock.ts'
import { setPointHook } from '../../src/host/points.ts'
import { callIn } from './world.ts'

const { home, cwd, snapshot_id, begun, gone } = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>
const app = openApp({ home: home as string })
app.records.workspaces.all() // opened before gc begins
while (!existsSync(gone as string)) sleepSync(5)
setPointHook((name) => {
  if (name !== 'store:published') return
  writeFileSync(begun as string, '')
  sleepSync(400)
})
await callIn(app, cwd as string)('pin', { snapshot_id })
app.close()
