import { createHash } from 'node:crypto'
import { mkdirSync } from 'node:fs'
import { expect } from 'vitest'
import { openApp } from '../../src/app/app.ts'
import { realClock } from '../../src/host/clock.ts'
import { hostileHostPaths, hostilePaths, inputWith, newPlayground, type PathField, pathFields } from '../kit/hostile.ts'
import { type Live, newLive } from '../live/kit.ts'
import { type Agent, overHttp, overStdio } from '../mcp/kit.ts'

/** Hostile paths in every field of every tool, over every surface: refused, or their effect is inside. */

type Surface = 'library' | 'http' | 'mcp without daemon' | 'mcp with daemon'
export const SURFACES: readonly Surface[] = ['library', 'http', 'mcp without daemon', 'mcp with daemon']

/** The code of the fault, or `done`. */
type Ask = (tool: string, input: Record<string, unknown>) => Promise<string>

const TOOLS = 'timeline,edits,travel,guards,store,setup'
const FILES = { a: 'one\n', 'sub/b': 'two\n' }
/** A refusal is never one of these: they are bugs, or mean that the tool was not reached. */
const BAD = /^(INTERNAL|UNKNOWN_TOOL|TOOL_NOT_OFFERED|DAEMON_LOST|undefined)$/
const MOST_MS = 60_000

export async function runMatrix(surface: Surface, share: number): Promise<number> {
  const live = newLive(FILES, { env: { TIMEWARP_DAEMON: surface.includes('without') ? 'off' : 'on' } })
  const { temp } = live.workspace
  const { canaries, outside } = newPlayground(temp, live.root)
  const ask = await asker(surface, live)
  await ask('workspace_init', {})
  const before = outside()
  let calls = 0
  for (const [i, field] of (await pathFields()).entries())
    for (const path of pathsFor(field, temp, share, i)) {
      calls++
      const input = await inputWith(field, path)
      const what = `${surface}: ${field.tool} ${JSON.stringify(input).slice(0, 300)}`
      const code = await bounded(ask(field.tool, input), what)
      expect(code, what).not.toMatch(BAD)
      if (isWritten(field)) expect(code, what).not.toBe('done')
    }
  expect(outside(), `${surface}: outside`).toBe(before)
  await ask('snapshot', { label: 'end' })
  expect(outside(), `${surface}: outside, after a capture`).toBe(before)
  await live.workspace.close()
  await live.end()
  checkStore(live.home, canaries)
  return calls
}

const isWritten = ({ at: [name] }: PathField): boolean => name === 'dir' || name === 'into'

/** All of them, or every so many, beginning elsewhere in each field. */
function pathsFor({ takes, at, tool }: PathField, temp: string, share: number, turn: number): string[] {
  const isWorkspace = at[0] === 'workspace'
  // A field that any tool has is the same everywhere.
  if (isWorkspace && tool !== 'status') return share < 1 ? [] : hostileHostPaths(temp).slice(turn % 5, (turn % 5) + 1)
  const all = takes === 'host' ? hostileHostPaths(temp) : hostilePaths(temp)
  // Of those for the host there are few.
  const step = Math.max(1, Math.round((takes === 'host' ? 0.03 : 1) / share))
  return all.filter((_, i) => (i + turn) % step === 0).filter((path) => !isWorkspace || !path.includes('/workspace/'))
}

async function bounded(work: Promise<string>, what: string): Promise<string> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer: ${what}`)), MOST_MS)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}

async function asker(surface: Surface, live: Live): Promise<Ask> {
  if (surface === 'library')
    return (tool, input) =>
      live.workspace.call(tool as never, input as never).then(
        () => 'done',
        (error: { code?: string; stack?: string }) => error.code ?? `INTERNAL ${error.stack}`,
      )
  if (surface === 'mcp without daemon')
    return agentAsker(await overStdio(live, { args: ['--tools', TOOLS], user: accept }))
  await live.serve()
  if (surface === 'http')
    return async (tool, input) => {
      const { status, json } = await live.ask(`/v1/call/${tool}`, { body: { workspace: live.root, ...input } })
      return status === 200 ? 'done' : String(json?.error?.code)
    }
  const query = `?workspace=${encodeURIComponent(live.root)}&tools=${TOOLS}`
  return agentAsker(await overHttp(live, { query, user: accept }))
}

const accept = () => ({ action: 'accept' as const, content: { confirm: true } })

const agentAsker =
  (agent: Agent): Ask =>
  async (tool, input) => {
    const { isError, error } = await agent.call(tool, input)
    // An answer that says it found nothing is marked as an error, too.
    return isError && error !== undefined ? String(error.code) : 'done'
  }

/** No snapshot has a path outside, and no content of a canary is stored. */
export function checkStore(home: string, canaries: readonly Buffer[]): void {
  const app = openApp({ home, clock: realClock })
  try {
    const paths = app.records.db.all<{ path: string }>('SELECT DISTINCT path FROM changes').map(({ path }) => path)
    expect(
      paths.filter((path) => path.startsWith('/') || path.split('/').some((name) => /^\.{0,2}$/.test(name))),
    ).toEqual([])
    for (const canary of canaries)
      expect(app.store.index.has(createHash('sha256').update(canary).digest()), canary.toString()).toBe(false)
  } finally {
    app.close()
  }
}

const VERBS: readonly (readonly [string, ...string[]])[] = [
  ['rm', 'PATH'],
  ['write', 'PATH', 'x'],
  ['mkdir', 'PATH'],
  ['mv', 'PATH', 'moved'],
  ['mv', 'a', 'PATH'],
  ['edit', 'PATH', 'one', 'two'],
  ['cat', 'latest', 'PATH'],
  ['history', 'PATH'],
  ['blame', 'PATH'],
  ['diff', 'latest', '--', 'PATH'],
  ['restore', 'latest', 'PATH'],
  ['revert', 'latest', '--', 'PATH'],
  ['forget', 'PATH', '--dry-run'],
]

/** The same by the command line, typed in a sub-folder. Returns how many commands were run. */
export async function runTyped(daemon: boolean, paths: number, verbs: number): Promise<number> {
  const live = newLive(FILES, { env: { TIMEWARP_DAEMON: daemon ? 'on' : 'off' } })
  const { temp } = live.workspace
  const { canaries, outside } = newPlayground(temp, live.root)
  if (daemon) await live.serve()
  await live.tw(['init'])
  const before = outside()
  // An argument cannot hold a zero byte, and is not longer than the system takes.
  const all = hostilePaths(temp).filter((path) => !path.includes('\0') && path.isWellFormed() && !/^-|^$/.test(path))
  const step = Math.max(1, Math.floor(all.length / paths))
  let commands = 0
  for (const [i, path] of all.filter((_, at) => at % step === 0).entries())
    for (let turn = 0; turn < verbs; turn++) {
      const words = VERBS[(i + turn) % VERBS.length] as readonly string[]
      // One of the paths is this very folder, which may be deleted: it lies inside.
      mkdirSync(`${live.root}/sub`, { recursive: true })
      const { exit, stderr } = await live.tw(
        words.map((word) => (word === 'PATH' ? path : word)),
        { cwd: `${live.root}/sub` },
      )
      commands++
      expect([0, 2, 3, 4], `${words.join(' ')} ${JSON.stringify(path.slice(0, 200))}: ${stderr}`).toContain(exit)
    }
  expect(outside()).toBe(before)
  await live.end()
  checkStore(live.home, canaries)
  return commands
}
