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

/** What goes to the client with a question and comes back, sealed, with its answer. */
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
  /** The session on whose behalf things are done, unless a call names one; undefined when clients come and go. */
  readonly session: string | undefined
  /** Whether the client gave the session its name. */
  readonly isTheirs?: boolean
}

/** Who calls. */
export interface McpCaller {
  readonly capabilities: ClientCapabilities
  /** How it introduced itself. */
  readonly client: string | undefined
  readonly session: string | undefined
  /** Asks for the client's roots; undefined where they can only be had with a question (`PendingQuestion`). */
  readonly roots: (() => Promise<readonly { readonly uri: string }[]>) | undefined
}

/** A tool and an input that fits it. */
export interface CheckedCall {
  readonly spec: Spec
  readonly input: Readonly<Record<string, unknown>>
}

/** Where a client's calls are taken: for one workspace, with some of the tools. */
export class McpSession {
  readonly options: McpSessionOptions
  #root: string | undefined
  readonly #greeted = new Set<string>()
  #afterthoughts: string[] = []

  constructor(options: McpSessionOptions) {
    this.options = options
    this.#root = options.ground.named
  }

  /** The workspace, as far as it is known without asking anybody. */
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
    // Who comes and goes may come back with other roots.
    if (this.options.session !== undefined) this.#root = root
    return root
  }

  /** The tool and its whole input; refused when it is not offered, does not fit, or names another workspace. */
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

  /** Makes the session known with the first thing that is done in it. */
  async greet({ spec, input }: CheckedCall, visitor: McpCaller, asked: McpCallRequest): Promise<void> {
    const { rooms } = this.options
    const { session_id: session } = input
    if (typeof session !== 'string' || this.#greeted.has(session)) return
    if (spec.effect === 'read' || !rooms.isWorkspace(asked.cwd)) return
    if (this.#greeted.size >= MOST_GREETED) this.#greeted.clear()
    this.#greeted.add(session)
    await greet(rooms, session, visitor.client, asked)
  }

  /** Does it. What is given back has passed the concealment. */
  async run({ spec, input }: CheckedCall, asked: McpCallRequest): Promise<object> {
    const { rooms } = this.options
    // Before anything is done: what cannot be concealed is not asked for.
    const conceal = concealment(rooms.settings(asked.cwd), asked.cwd)
    try {
      return conceal.output(await rooms.call(spec.name, input, asked))
    } catch (error) {
      throw new ToldFault(conceal.fault(faultJson(error)))
    }
  }

  /** Something to tell with the next answer: a client hears no more of a call that it cancelled. */
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

/** Whom it has greeted, a server forgets after so many. */
const MOST_GREETED = 1000

/** What the client told in answer to a question. */
export interface ClientAnswers {
  readonly root: string | undefined
  readonly roots: readonly { readonly uri: string }[] | undefined
}

/** What was given for a text, in words. */
export const asText = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value))

const isSame = (workspace: unknown, root: string): boolean =>
  workspace === root || (typeof workspace === 'string' && resolve(root, workspace) === resolve(root))
