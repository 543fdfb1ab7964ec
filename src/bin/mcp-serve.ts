import about from '../../package.json' with { type: 'json' }
import type { McpServing } from '../cli/context.ts'
import type { Io } from '../cli/io.ts'
import { sleep } from '../host/clock.ts'
import type { McpServices } from '../mcp/api.ts'
import { serveStreams } from '../mcp/stdio.ts'
import { toolSetOf } from '../mcp/tool-set.ts'
import { workspaceHintOf } from '../mcp/workspace-hint.ts'
import { makeId } from '../schema/ids.ts'
import { foldersOf } from './mcp-folders.ts'
import { McpToolRunner } from './mcp-work.ts'

/** At the end, work in this process may take this long; the next command finishes what takes longer. */
const GRACE_MS = 5000

/** Serves the agent on standard input and output, until it disconnects or a signal asks to stop. */
export async function serveMcp({ home, dir, tools, daemon }: McpServing, io: Io): Promise<number> {
  const log = (line: string): void => io.err(`timewarp mcp: ${line}\n`)
  const work = new McpToolRunner({ home, program: io.program, env: io.env, daemon, log })
  const rooms: McpServices = {
    version: about.version,
    call: (...call) => work.call(...call),
    ...foldersOf(home),
    log,
  }
  const theirs = io.env.CLAUDE_CODE_SESSION_ID
  const served = serveStreams({
    rooms,
    offer: await toolSetOf(tools),
    ground: await workspaceHintOf(rooms, dir, isNowhere(io) ? undefined : io.cwd),
    session: theirs || makeId('sess', Date.now(), Math.random),
    isTheirs: Boolean(theirs),
    input: process.stdin,
    output: process.stdout,
  })
  await Promise.race([served.over, io.interrupted])
  await served.close()
  await Promise.race([work.idle(), sleep(GRACE_MS)])
  return 0
}

/** The folders in which agents are started without a project. */
const isNowhere = ({ cwd, env }: Io): boolean => cwd === '/' || cwd === env.HOME
