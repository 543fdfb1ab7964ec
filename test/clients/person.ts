import { appendFileSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * Somebody at work in the same folder as the agents: `person.ts FOLDER LOG`. Adds a line to one of three files now and then,
 * saves another as editors do, and writes down when. Ends when asked to.
 */

const PAUSE_MS = 130

export interface Deed {
  readonly at: number
  readonly path: string
  readonly line: string
}

function work(folder: string, log: string): void {
  mkdirSync(join(folder, 'person'), { recursive: true })
  let n = 0
  setInterval(() => {
    n++
    const path = `person/notes-${n % 3}.txt`
    const line = `person ${n}`
    appendFileSync(join(folder, path), `${line}\n`)
    if (n % 5 === 0) writeFileSync(join(folder, 'person/draft.txt'), `draft ${n}\n`)
    appendFileSync(log, `${JSON.stringify({ at: Date.now(), path, line } satisfies Deed)}\n`)
  }, PAUSE_MS)
}

if (import.meta.main) work(process.argv[2] ?? '.', process.argv[3] ?? 'person.log')
