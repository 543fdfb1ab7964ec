import { resolve } from 'node:path'
import type { ClientCapabilities, RequestStateCodec } from '@modelcontextprotocol/server'
import { snakeKeys } from '../app/snake-keys.ts'
import { Fault } from '../base/fault.ts'
import { findTool } from '../protocol/catalogue.ts'
import type { Spec } from '../protocol/spec.ts'
import { readInput, refuseRelative } from '../tools/call.ts'
import type { McpCallRequest, McpServices, WorkspaceHint } from './api.ts'
import { chooseRoot } from './choose-root.ts'
import { concealment, ToldFault } from './conceal.ts'
import type { Confirmations } from './confirm.ts'
import { faultJson } from './content.ts'
import { greet } from './greeting.ts'
import type { ToolSet } from './tool-set.ts'

/** State that is sent to the client with a question and comes back, sealed, with the answer. */
export interface PendingQuestion {
  readonly root?: string
  readonly confirm?: string
}

export interface McpSessionOptions {
  readonly rooms: McpServices
  readonly offer: ToolSet
  readonly ground: WorkspaceHint
  readonly confirmations: Confirmations
  readonly rounds: RequestStateCodec<PendingQuestion>
  /** The session id for calls that name none; undefined when each request may be from another client. */
  readonly session: string | undefined
  /** Whether the client chose the session id. */
  readonly isTheirs?: boolean
}

/** The client of a request. */
export interface McpCaller {
  readonly capabilities: ClientCapabilities
  /** The name that it sent. */
  readonly client: string | undefined
  readonly session: string | undefined
  /** Asks for the client's roots; undefined where that takes a question (`PendingQuestion`). */
  readonly roots: (() => Promise<readonly { readonly uri: string }[]>) | undefined
}

/** A tool and an input that has been checked against its spec. */
export interface CheckedCall {
  readonly spec: Spec
  readonly input: Readonly<Record<string, unknown>>
}

/** Runs a client's calls: in one workspace, with some of the tools. */
export class McpSession {
  readonly options: McpSessionOptions
  #root: string | undefined
  readonly #greeted = new Set<string>()
  #afterthoughts: string[] = []

  constructor(options: McpSessionOptions) {
    this.options = options
    this.#root = options.ground.named
  }

  /** The workspace, as far as it is known without a question to the client. */
  get root(): string | undefined {
    return this.#root ?? this.options.ground.cwd
  }

  /** The workspace for a call; undefined when the client has to be asked for its roots first. */
  async rootFor(visitor: McpCaller, told: ClientAnswers): Promise<string | undefined> {
    if (this.#root !== undefined) return this.#root
    if (told.root !== undefined) return told.root
    const { cwd } = this.options.ground
    const roots = told.roots ?? (visitor.capabilities.roots ? await visitor.roots?.() : [])
    if (roots === undefined && cwd === undefined) return undefined
    const root = chooseRoot(roots ?? [], cwd) ?? cwd
    if (root === undefined) throw new Fault('WORKSPACE_UNNAMED', {})
    // Without a session the next request may be from a client with other roots.
    if (this.options.session !== undefined) this.#root = root
    return root
  }

  /** The tool and its whole input. Throws when it is not offered, the input is wrong, or it names another workspace. */
  async order(
    name: string,
    given: Readonly<Record<string, unknown>>,
    root: string,
    visitor: McpCaller,
  ): Promise<CheckedCall> {
    const { entry, spec } = await this.#offered(name)
    const { workspace } = given
    if (workspace !== undefined && !isSame(workspace, root))
      throw new Fault('WORKSPACE_FIXED', { root, asked: asText(workspace) })
    const { session: own, isTheirs } = this.options
    const session = visitor.session ?? (isTheirs || !spec.guardedSession ? own : undefined)
    const plain = snakeKeys(given, spec.input) as Readonly<Record<string, unknown>>
    const input = { ...(session === undefined ? {} : { session_id: session }), ...plain, workspace: root }
    readInput(spec, entry.verb, input)
    refuseRelative(spec, entry.verb, input)
    return { spec, input }
  }

  async #offered(name: string) {
    const entry = findTool(name)
    if (entry === undefined) throw new Fault('UNKNOWN_TOOL', { name })
    const spec = await entry.load()
    if (!this.options.offer.has(entry.tool)) throw new Fault('TOOL_NOT_OFFERED', { name: spec.name, set: spec.group })
    return { entry, spec }
  }

  /** Records the session at its first call in a workspace that is not read-only. */
  async greet({ spec, input }: CheckedCall, visitor: McpCaller, asked: McpCallRequest): Promise<void> {
    const { rooms } = this.options
    const { session_id: session } = input
    if (typeof session !== 'string' || this.#greeted.has(session)) return
    if (spec.effect === 'read' || !rooms.isWorkspace(asked.cwd)) return
    if (this.#greeted.size >= MOST_GREETED) this.#greeted.clear()
    this.#greeted.add(session)
    await greet(rooms, session, visitor.client, asked)
  }

  /** Runs the tool. Its output and its faults pass the concealment (conceal.ts). */
  async run({ spec, input }: CheckedCall, asked: McpCallRequest): Promise<object> {
    const { rooms } = this.options
    // First, so that nothing runs if the rules for concealment cannot be read.
    const conceal = concealment(rooms.settings(asked.cwd), asked.cwd)
    try {
      return conceal.output(await rooms.call(spec.name, input, asked))
    } catch (error) {
      throw new ToldFault(conceal.fault(faultJson(error)))
    }
  }

  /** Adds text to the next answer: the client ignores all further messages about a call that it cancelled. */
  addAfterthought(text: string): void {
    this.options.rooms.log(text)
    this.#afterthoughts.push(text)
  }

  takeAfterthoughts(): string[] {
    const thoughts = this.#afterthoughts
    this.#afterthoughts = []
    return thoughts
  }
}

/** Beyond this many recorded sessions, the server forgets which ones it has recorded. */
const MOST_GREETED = 1000

/** The client's answer to a question. */
export interface ClientAnswers {
  readonly root: string | undefined
  readonly roots: readonly { readonly uri: string }[] | undefined
}

export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const isSame = (workspace: unknown, root: string): boolean =>
  workspace === root || (typeof workspace === 'string' && resolve(root, workspace) === resolve(root))
