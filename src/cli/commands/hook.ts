import { join } from 'node:path'
import { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { oneLine } from '../../base/visible.ts'
import { projectOf } from '../../client/hook.ts'
import { openLog } from '../../daemon/life/log.ts'
import { CLIENT_NAMES, isClient } from '../../guards/clients/clients.ts'
import type { ClientName } from '../../guards/clients/event.ts'
import { EDIT_MS, endOf, type HookServices, type Pending, runHook, serve } from '../../guards/hooks/hook.ts'
import { missedIn } from '../../guards/hooks/missed.ts'
import { lstat } from '../../host/files/fs.ts'
import { startDetached } from '../../host/processes/run.ts'
import { command } from '../command.ts'
import { type Context, openToolClient } from '../context.ts'
import { printBytes, printRemark } from '../output/print.ts'
import { homeOf } from '../parse/globals.ts'

export const HookCommand = command({
  name: 'hook',
  summary: 'Take a hook of a coding agent from standard input; what installed guards call',
  group: 'shell',
  // Accepts any word: a refusal would be a failing hook, which some clients take for a veto.
  input: z.object({
    client: z.string().describe(`Whose hook it is: ${CLIENT_NAMES.join(', ')}`),
    until_edited: z
      .boolean()
      .default(false)
      .describe('Wait for the end of an edit that such a hook announced, and record it; what a hook leaves behind'),
  }),
  verb: { words: ['client'], examples: ['timewarp hook generic < event.json'] },
  run: async (context, { client, until_edited }) => {
    const { io } = context
    if (!isClient(client)) printRemark(io, `Warning: No guard understands ${oneLine(client)}`)
    else if (until_edited) await endEdit(context, await io.stdin())
    else printBytes(io, Buffer.from(await answer(context, client, await io.stdin())))
    return 0
  },
})

/** The daemon's answer; this process makes it when no daemon is wanted or available. */
async function answer(context: Context, client: ClientName, body: Uint8Array): Promise<string> {
  const { io, globals, rooms } = context
  const home = homeOf(globals, io)
  try {
    const said = globals.daemon ? await rooms.hook?.(home, { client, body, project: projectOf(io.env) }) : undefined
    if (said !== undefined) return said
  } catch (error) {
    openLog(join(home, 'logs', 'guard.log'))('the daemon did not come', { client, why: String(error) })
  }
  return alone(context, client, body)
}

/** Runs the hook in this process. */
async function alone(context: Context, client: ClientName, bytes: Uint8Array): Promise<string> {
  const { io, globals } = context
  const home = homeOf(globals, io)
  const log = openLog(join(home, 'logs', 'guard.log'))
  try {
    const rooms = await roomsOf(context)
    return await runHook(client, bytes, { project: projectOf(io.env) }, { ...rooms, leaveEdit })
  } catch (error) {
    log('a hook was not served', { client, why: String(error) })
    return ''
  }

  function leaveEdit(pending: Pending): void {
    const words = ['--home', home, '--no-daemon', 'hook', client, '--until-edited']
    const { stdin } = startDetached(io.program, words, { input: Buffer.from(JSON.stringify(pending)) })
    context.leave({ settle: () => new Promise((done) => stdin?.once('close', done) ?? done()), close: () => {} })
  }
}

async function roomsOf(context: Context): Promise<HookServices> {
  const home = homeOf(context.globals, context.io)
  const desk = await openToolClient(context)
  const log = openLog(join(home, 'logs', 'guard.log'))
  return { call: (name, input) => desk.call(name, input), log, missed: missedIn(home) }
}

/** Runs in the process that a hook leaves behind. It does not create the store again if it is gone by then. */
async function endEdit(context: Context, bytes: Uint8Array): Promise<void> {
  const database = join(homeOf(context.globals, context.io), 'timewarp.db')
  const isOpen = (): boolean => lstat(database) !== undefined
  const ended = await endOf(pendingIn(bytes), { isOpen, longestMs: EDIT_MS.alone })
  if (ended && isOpen()) await serve(ended, await roomsOf(context))
}

function pendingIn(bytes: Uint8Array): Pending {
  try {
    return JSON.parse(Buffer.from(bytes).toString()) as Pending
  } catch {
    throw new Fault('BAD_INPUT', { problem: 'Standard input is no edit that a hook left behind.' })
  }
}
