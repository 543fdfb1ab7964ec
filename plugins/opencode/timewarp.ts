/**
 * timewarp: a guard for opencode. It tells Timewarp of sessions, prompts and tool calls, so that every change of a file can
 * be seen, attributed and taken back. Put in place by `timewarp guard install opencode`; take it away with
 * `timewarp guard remove opencode`.
 *
 * A plain file without dependencies, for both generations of plugins: `server` is called by the first, `setup` by the
 * second. What is told goes to the daemon; when none answers, the program for hooks does the work and starts one. Whatever
 * goes wrong, opencode goes on.
 */
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

// The installer writes here where the program is, and the store if it is not the usual one.
const INSTALLED = { hook: null as string | null, home: null as string | null }

const HOOK = INSTALLED.hook ?? 'timewarp-hook'
const HOME = INSTALLED.home ?? process.env['TIMEWARP_HOME'] ?? join(homedir(), '.timewarp')
const WAIT_MS = 5000

/** Tools that cannot change a file: nobody need hear of them. */
const QUIET = new Set(
  'read glob grep list webfetch websearch codesearch todowrite todoread skill question invalid lsp'.split(' '),
)
const EVENTS = new Set(['session.created', 'session.idle', 'session.deleted', 'message.part.updated'])

type Facts = Record<string, unknown>
interface Answer {
  readonly deny?: string | null
  readonly note?: string | null
}

const text = (value: unknown): string => (typeof value === 'string' ? value : '')
const facts = (value: unknown): Facts => (typeof value === 'object' && value !== null ? (value as Facts) : {})

/** What happens is told in the order in which it happened, one after the other. */
let last: Promise<Answer> = Promise.resolve({})

function tell(payload: Facts): Promise<Answer> {
  last = last.then(() => send(JSON.stringify(payload)))
  return last
}

async function send(body: string): Promise<Answer> {
  try {
    const said = (await askDaemon(body)) ?? (await runProgram(body))
    return said === '' ? {} : (JSON.parse(said) as Answer)
  } catch {
    return {}
  }
}

/** Undefined when no daemon lives, or somebody else answers in its place. */
async function askDaemon(body: string): Promise<string | undefined> {
  try {
    const card = facts(JSON.parse(readFileSync(join(HOME, 'daemon.json'), 'utf8')))
    process.kill(Number(card['pid']), 0)
    const answer = await fetch(`${text(card['url'])}/v1/hook/opencode`, {
      method: 'POST',
      headers: { Authorization: `Bearer ${text(card['token'])}`, 'Content-Type': 'application/json' },
      body,
      signal: AbortSignal.timeout(WAIT_MS),
    })
    const isOurs = answer.status === 200 && answer.headers.get('timewarp-proof') === card['proof']
    return isOurs ? await answer.text() : undefined
  } catch {
    return undefined
  }
}

function runProgram(body: string): Promise<string> {
  if (INSTALLED.hook !== null && !existsSync(INSTALLED.hook)) return Promise.resolve('')
  return new Promise((done) => {
    const child = spawn(HOOK, ['opencode', HOME], { stdio: ['pipe', 'pipe', 'ignore'], timeout: 2 * WAIT_MS })
    let said = ''
    child.stdout.on('data', (bytes: Uint8Array) => (said += bytes.toString()))
    child.on('error', () => done(''))
    child.on('close', () => done(said))
    child.stdin.on('error', () => {})
    child.stdin.end(body)
  })
}

/** The sessions that others started, with those; and what the model is to be told in each. */
const parents = new Map<string, string>()
const notes = new Map<string, string>()

class Reporter {
  readonly #directory: string
  readonly #sessions = new Set<string>()

  constructor(directory: string) {
    this.#directory = directory
  }

  async report(session: string, payload: Facts): Promise<Answer> {
    this.#sessions.add(session)
    const parent = parents.get(session)
    const answer = await tell({ directory: this.#directory, ...(parent ? { parent } : {}), ...payload })
    if (answer.note) notes.set(session, answer.note)
    return answer
  }

  event(event: Facts): Promise<Answer> {
    const properties = facts(event['properties'] ?? event['data'])
    const info = facts(properties['info'])
    const session = text(info['id']) || text(properties['sessionID']) || text(facts(properties['part'])['sessionID'])
    if (text(info['parentID'])) parents.set(session, text(info['parentID']))
    if (!EVENTS.has(text(event['type'])) || isUneventful(event['type'], properties)) return Promise.resolve({})
    return this.report(session, { hook: 'event', event: { type: event['type'], properties } })
  }

  /** Throws when the call must not be made; nothing else ever stops one. */
  async before(input: Facts, args: unknown): Promise<void> {
    if (QUIET.has(text(input['tool']))) return
    const { deny } = await this.report(text(input['sessionID']), {
      hook: 'tool.execute.before',
      input,
      output: { args },
    })
    if (deny) throw new Error(deny)
  }

  async after(input: Facts, output: Facts): Promise<void> {
    if (QUIET.has(text(input['tool']))) return
    const metadata = { exit: facts(output['metadata'])['exit'] }
    await this.report(text(input['sessionID']), { hook: 'tool.execute.after', input, output: { metadata } })
  }

  async end(): Promise<void> {
    for (const session of this.#sessions)
      void this.report(session, {
        hook: 'event',
        event: { type: 'session.deleted', properties: { sessionID: session } },
      })
    await last
  }
}

/** Parts of messages change all the time; only of a tool that failed nobody else tells. */
function isUneventful(type: unknown, properties: Facts): boolean {
  const part = facts(properties['part'])
  return (
    type === 'message.part.updated' &&
    !(part['type'] === 'tool' && facts(part['state'])['status'] === 'error' && !QUIET.has(text(part['tool'])))
  )
}

/** Whether the first generation has called: of the two in one process, one is enough. */
let isServed = false

async function server(context: Facts): Promise<Facts> {
  isServed = true
  const reporter = new Reporter(text(context['directory']) || process.cwd())
  return {
    event: async ({ event }: { event: Facts }) => void (await reporter.event(event)),
    'chat.message': async (input: Facts, output: Facts) => {
      const session = text(input['sessionID'])
      await reporter.report(session, { hook: 'chat.message', input: { sessionID: session }, output })
    },
    'tool.execute.before': (input: Facts, output: Facts) => reporter.before(input, output['args']),
    'tool.execute.after': (input: Facts, output: Facts) => reporter.after(input, output),
    'experimental.session.compacting': async (input: Facts) => {
      await reporter.report(text(input['sessionID']), { hook: 'experimental.session.compacting', input })
    },
    'experimental.chat.system.transform': async (input: Facts, output: Facts) => {
      const note = notes.get(text(input['sessionID']))
      if (note && Array.isArray(output['system'])) output['system'].push(note)
    },
    dispose: () => reporter.end(),
  }
}

/** A part of the second generation's context: where hooks are put, and what happens. */
interface Domain {
  hook?(name: string, act: (event: Facts) => Promise<void>): unknown
  subscribe?(): AsyncIterable<Facts>
}

async function setup(context: Readonly<Record<string, Domain | undefined>>): Promise<() => Promise<void>> {
  const reporter = new Reporter(text(facts(context['app'])['directory']) || process.cwd())
  const callOf = (event: Facts): Facts => ({ tool: event['tool'], sessionID: event['sessionID'], callID: event['id'] })
  const on = async (domain: string, name: string, act: (event: Facts) => Promise<unknown>) => {
    await context[domain]?.hook?.(name, async (event) => void (isServed || (await act(event))))
  }
  await on('tool', 'execute.before', (event) => reporter.before(callOf(event), event['input']))
  await on('tool', 'execute.after', async (event) => {
    const input = { ...callOf(event), args: event['input'] }
    if (event['status'] !== 'error') return reporter.after(input, facts(facts(event['result'])['metadata']))
    const state = {
      status: 'error',
      input: event['input'],
      error: text(facts(event['error'])['message']) || 'failed',
    }
    const part = { type: 'tool', ...callOf(event), state }
    return reporter.event({ type: 'message.part.updated', properties: { part } })
  })
  await on('session', 'prompt', (event) => {
    const [session, prompt] = [text(event['sessionID']), facts(event['prompt'])]
    const output = { message: { id: event['messageID'] }, parts: [{ type: 'text', text: text(prompt['text']) }] }
    return reporter.report(session, { hook: 'chat.message', input: { sessionID: session }, output })
  })
  void listen(reporter, context['event'])
  return () => reporter.end()
}

async function listen(reporter: Reporter, domain: Domain | undefined): Promise<void> {
  try {
    for await (const event of domain?.subscribe?.() ?? []) if (!isServed) await reporter.event(event)
  } catch {
    // Without events, calls are told of all the same.
  }
}

export default { id: 'timewarp', server, setup }
