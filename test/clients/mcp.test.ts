import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { ClientName } from '../../scripts/clients.ts'
import { withClient } from './kit.ts'
import type { ToolCall } from './model.ts'
import type { Actor } from './stage.ts'
import { newTheatre, type Theatre, TIMEWARP } from './theatre.ts'

/** Each client uses the MCP server: it captures, edits, makes a mistake, and wants something that has to be confirmed. */

const PROMPT = 'use timewarp'

interface Way {
  /** Tells the client of the server; gives the one who plays it. */
  readonly actor: (theatre: Theatre, args: readonly string[]) => Actor
  /** What the model calls a tool. */
  readonly tool: (name: string, input: object) => ToolCall
  /** What is said to a call with wrong arguments. */
  readonly mistake: string
  /** What becomes of a call that has to be confirmed where nobody sits. */
  readonly unconfirmed: string
  /** How the records call the client's session. */
  readonly session: string
}

const server = (args: readonly string[]) => ({ command: TIMEWARP, args })
const named = (prefix: string) => (name: string, input: object) => ({ name: `${prefix}${name}`, input: { ...input } })

const WAYS: Readonly<Record<Exclude<ClientName, 'inspector'>, Way>> = {
  claude: {
    actor: (theatre, args) => {
      const file = join(theatre.dir, 'mcp.json')
      theatre.write(file, JSON.stringify({ mcpServers: { timewarp: server(args) } }))
      return theatre.actor('claude', PROMPT, {
        args: ['-p', PROMPT, '--allowedTools', 'mcp__timewarp', '--mcp-config', file],
      })
    },
    tool: named('mcp__timewarp__'),
    mistake: 'Unrecognized key',
    unconfirmed: 'CONFIRM_NEEDED',
    session: 'claude',
  },
  opencode: {
    actor: (theatre, args) => {
      const mcp = { timewarp: { type: 'local', command: [TIMEWARP, ...args], enabled: true } }
      theatre.write('opencode.json', JSON.stringify({ mcp }))
      return theatre.actor('opencode', PROMPT)
    },
    tool: named('timewarp_'),
    mistake: 'Unrecognized key',
    unconfirmed: 'CONFIRM_NEEDED',
    session: 'opencode',
  },
  codex: {
    actor: (theatre, args) =>
      theatre.actor('codex', PROMPT, {
        flags: [
          '-c',
          `mcp_servers.timewarp.command=${JSON.stringify(TIMEWARP)}`,
          '-c',
          `mcp_servers.timewarp.args=${JSON.stringify(args)}`,
        ],
      }),
    tool: (name, input) => ({ name, namespace: 'mcp__timewarp', input: { ...input } }),
    mistake: 'Unrecognized key',
    // It declines by itself.
    unconfirmed: 'CONFIRM_DECLINED',
    session: 'codex',
  },
  gemini: {
    actor: (theatre, args) => {
      theatre.write('.gemini/settings.json', JSON.stringify({ mcpServers: { timewarp: server(args) } }))
      return theatre.actor('gemini', PROMPT)
    },
    tool: named('mcp_timewarp_'),
    // It looks at the schema itself, and does not even call.
    mistake: "must have required property 'snapshot_id'",
    unconfirmed: 'CONFIRM_NEEDED',
    session: 'gemini',
  },
}

for (const [name, way] of Object.entries(WAYS))
  withClient(name as ClientName, () => {
    test('a client uses the server', async () => {
      const theatre = newTheatre({ 'a.txt': 'one\n' })
      const actor = way.actor(theatre, ['--home', theatre.store, 'mcp'])
      const turns = [
        way.tool('snapshot', { label: 'from the client' }),
        way.tool('apply_edit_block', { path: 'a.txt', search_block: 'one', replace_block: 'two' }),
        way.tool('cat', { snapshot: 'latest' }),
        way.tool('restore', { snapshot_id: 'latest~1' }),
      ].map((tool) => ({ tools: [tool] }))
      const { first, heard } = await theatre.play([{ turns: [...turns, { text: 'Done.' }] }], actor)
      expect(first, first.stderr).toMatchObject({ code: 0 })
      const said = heard.join('\n')
      for (const word of ['s_2', way.mistake, way.unconfirmed]) expect(said).toContain(word)
      expect(theatre.read('a.txt')).toBe('two\n')
      const { sessions } = await theatre.call('session_list')
      const edit = (await theatre.timeline()).find(({ cause }) => cause.tool === 'apply_edit_block')
      expect(sessions).toMatchObject([{ client: way.session, session_id: edit.cause.session_id }])
    })
  })
