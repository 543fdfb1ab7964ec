import { join } from 'node:path'
import { z } from 'zod'
import { askHook } from '../daemon/ask.ts'
import { openLog } from '../daemon/log.ts'
import { placeOf } from '../daemon/place.ts'
import type { ClientName } from '../guards/event.ts'
import { CLIENT_NAMES, isClient } from '../guards/guards.ts'
import { endEdit, runHook } from '../guards/hook.ts'
import { missedIn } from '../guards/missed.ts'
import { startDetached } from '../host/run.ts'
import { command } from './command.ts'
import { type Context, openDesk } from './context.ts'
import { homeOf } from './globals.ts'

export const HookCommand = command({
  name: 'hook',
  summary: 'Take a hook of a coding agent from standard input; what installed guards call',
  group: 'shell',
  // Any word: a refusal would be a failing hook, which some clients take for a veto.
  input: z.object({
    client: z.string().describe(`Whose hook it is: ${CLIENT_NAMES.join(', ')}`),
    edited_since: z
      .string()
      .optional()
      .describe('Wait until the edit that it announces is made, and record that: how its file was before'),
  }),
  verb: { words: ['client'], examples: ['timewarp hook generic < event.json'] },
  run: async (context, { client, edited_since }) => {
    const { io } = context
    if (!isClient(client)) io.err(`Warning: No guard understands ${client}\n`)
    else if (edited_since !== undefined) await alone(context, client, await io.stdin(), edited_since)
    else io.out(await answer(context, client, await io.stdin()))
    return 0
  },
})

/** In a process of its own: by the daemon, which is started when there is none; by this process when that is no use. */
async function answer(context: Context, client: ClientName, bytes: Uint8Array): Promise<string> {
  const { io, globals, rooms } = context
  const home = homeOf(globals, io)
  const log = openLog(join(home, 'logs', 'guard.log'))
  const project = projectOf(io.env)
  if (globals.daemon && rooms.daemon)
    try {
      await rooms.daemon(home)
      const said = await askHook(placeOf(home, io.env), client, bytes, project)
      if (said !== undefined) return said
    } catch (error) {
      log('the daemon did not come', { client, why: String(error) })
    }
  return alone(context, client, bytes)
}

/** Without a daemon. `editedSince`: the hook was served before, but not the end of its edit. */
async function alone(context: Context, client: ClientName, bytes: Uint8Array, editedSince?: string): Promise<string> {
  const { io, globals } = context
  const home = homeOf(globals, io)
  const log = openLog(join(home, 'logs', 'guard.log'))
  const around = { project: projectOf(io.env) }
  try {
    const desk = await openDesk(context)
    const rooms = { call: (name: string, input: object) => desk.call(name, input), log, missed: missedIn(home) }
    if (editedSince !== undefined) await endEdit(client, bytes, around, rooms, editedSince)
    else return await runHook(client, bytes, around, { ...rooms, leaveEdit })
  } catch (error) {
    log('a hook was not served', { client, why: String(error) })
  }
  return ''

  function leaveEdit(since: string): void {
    const words = ['--home', home, '--no-daemon', 'hook', client, '--edited-since', since]
    const { stdin } = startDetached(io.program, words, { input: bytes })
    context.leave({ settle: () => new Promise((done) => stdin?.once('close', done) ?? done()), close: () => {} })
  }
}

/** The folder a client was started for; the one it is in now may be another. */
const projectOf = (env: Readonly<Record<string, string | undefined>>): string | undefined =>
  env['CLAUDE_PROJECT_DIR'] || env['GEMINI_PROJECT_DIR'] || undefined
