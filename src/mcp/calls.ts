import {
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  inputResponse,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { Fault } from '../base/fault.ts'
import { oneLine, visible } from '../base/visible.ts'
import { sha256, toHex } from '../host/hash.ts'
import { needsPerson, type Reached, reachedBy } from '../protocol/consent.ts'
import { textOf } from '../protocol/render.ts'
import type { Reach } from '../protocol/spec.ts'
import type { McpCallRequest } from './api.ts'
import { callText } from './confirm.ts'
import { answerOf, faultJson, refusalOf, textBlock } from './content.ts'
import { fieldsText } from './fields.ts'
import {
  asText,
  type CheckedCall,
  type ClientAnswers,
  type McpCaller,
  type McpSession,
  type PendingQuestion,
} from './mcp-session.ts'
import { asksFirst } from './outside.ts'
import { throttleProgress } from './throttle-progress.ts'

/** Tool calls: asks for confirmation where needed, runs the tool, and makes the answer. */

type Answer = CallToolResult | InputRequiredResult
interface Called {
  readonly name: string
  readonly arguments?: Readonly<Record<string, unknown>> | undefined
}

/** A failure becomes an answer, too, so that the model can read it and correct the call. */
export async function answerCall(
  desk: McpSession,
  called: Called,
  ctx: ServerContext,
  visitor: McpCaller,
): Promise<Answer> {
  const answer = await attempt(desk, called, ctx, visitor).catch((error: unknown) => {
    const fault = faultJson(error)
    const fields = fault.code === 'BAD_INPUT' ? fieldsText(desk.options.offer, called.name) : []
    return refusalOf(fault, ...fields)
  })
  // The client drops the answer to a cancelled call, and a question to the client has no place for more text.
  return ctx.mcpReq.signal.aborted || !('content' in answer) ? answer : withAfterthoughts(desk, answer)
}

async function attempt(desk: McpSession, called: Called, ctx: ServerContext, visitor: McpCaller): Promise<Answer> {
  const { confirm, ...given } = called.arguments ?? {}
  const root = await desk.rootFor(visitor, toldIn(ctx))
  if (root === undefined) return askForRoots(desk)
  const asked = askedBy(ctx, root)
  const order = await withToken(desk, await desk.order(called.name, given, root, visitor), asked)
  const isAsked = await asksFirst(desk.options.rooms, order, asked)
  const question = isAsked ? await ask(desk, order, asked, { ctx, visitor, confirm }) : undefined
  if (question !== undefined) return question
  const output = await desk.run(isAsked ? confirmed(order) : order, asked)
  await desk.greet(order, visitor, asked)
  const answer = answerOf(order.spec, output)
  if (ctx.mcpReq.signal.aborted && order.spec.effect !== 'read') desk.addAfterthought(tooLate(order, answer))
  return answer
}

const tooLate = ({ spec }: CheckedCall, { content }: CallToolResult): string => {
  const [first] = content
  const said = first?.type === 'text' ? (first.text.split('\n')[0] ?? '') : ''
  return `Note: ${spec.name} was cancelled when it had begun already, so it was finished: ${said}`
}

function withAfterthoughts(desk: McpSession, answer: Answer): Answer {
  const thoughts = desk.takeAfterthoughts()
  if (thoughts.length === 0) return answer
  const { content, ...rest } = answer as CallToolResult
  return { ...rest, content: [...content, ...thoughts.map(textBlock)] }
}

// The workspace

const ROOTS = 'roots'

function toldIn(ctx: ServerContext): ClientAnswers {
  const view = inputResponse(ctx.mcpReq.inputResponses, ROOTS)
  return { root: roundOf(ctx).root, roots: view.kind === 'roots' ? view.roots : undefined }
}

const roundOf = (ctx: ServerContext): PendingQuestion => ctx.mcpReq.requestState<PendingQuestion>() ?? {}

const askForRoots = async (desk: McpSession): Promise<Answer> =>
  inputRequired({
    inputRequests: { [ROOTS]: inputRequired.listRoots() },
    requestState: await desk.options.rounds.mint({}),
  })

// Progress

function askedBy(ctx: ServerContext, cwd: string): McpCallRequest {
  const { signal, notify, _meta } = ctx.mcpReq
  const progressToken = _meta?.progressToken
  const tell = (step: object): void =>
    void notify({ method: 'notifications/progress', params: { ...step, progressToken } }).catch(() => {})
  const progress = progressToken === undefined ? () => {} : throttleProgress(tell, () => performance.now())
  return { cwd, progress, signal }
}

// Confirmation

const CONFIRM = 'confirm'
/** The question shows at most this many characters of what would happen. */
const SHOWN = 3000

interface Asking {
  readonly ctx: ServerContext
  readonly visitor: McpCaller
  /** The token in the call's arguments, if any. */
  readonly confirm: unknown
}

/** Sets `yes` for a tool that asks for confirmation itself: this surface has asked already. */
const confirmed = (order: CheckedCall): CheckedCall =>
  'yes' in order.spec.input.shape && order.input['confirm'] === undefined
    ? { ...order, input: { ...order.input, yes: true } }
    : order

const isPersonal = ({ spec, input }: CheckedCall): boolean => needsPerson(spec, input)

/**
 * A tool may bind consent to what it showed by its own token. It is put into the input here; the agent never gets it.
 */
async function withToken(desk: McpSession, order: CheckedCall, asked: McpCallRequest): Promise<CheckedCall> {
  if (!isPersonal(order) || !('confirm' in order.spec.input.shape)) return order
  const unconfirmed = { ...order, input: { ...order.input, yes: false } }
  try {
    await desk.run(unconfirmed, asked)
    return unconfirmed
  } catch (error) {
    const { code, data } = faultJson(error)
    if (code !== 'CONFIRM_NEEDED') throw error
    return { ...order, input: { ...unconfirmed.input, confirm: (data as { confirm: string }).confirm } }
  }
}

/** Asks for confirmation; undefined when the call is confirmed. */
async function ask(
  desk: McpSession,
  order: CheckedCall,
  asked: McpCallRequest,
  asking: Asking,
): Promise<Answer | undefined> {
  const { confirmations } = desk.options
  const tool = order.spec.name
  const call = callText(tool, order.input)
  const token = tokenOf(desk, tool, asking)
  if (token !== undefined) {
    if (isPersonal(order) && !wasAsked(asking)) throw new Fault('CONFIRM_WRONG', { tool })
    const shown = confirmations.redeem(token, call)
    if (shown === undefined) throw new Fault('CONFIRM_WRONG', { tool })
    const { would, plan } = await whatWould(desk, order, asked)
    if (plan === shown) return undefined
    // A user who answered a question is asked again at the next call; a token must not replace that.
    const next = wasAsked(asking) ? {} : { confirm: confirmations.open(call, plan) }
    throw new Fault('CONFIRM_WRONG', { tool, would, ...next })
  }
  const { would, plan } = await whatWould(desk, order, asked)
  const canAsk = canAnswer(asking.visitor) && !wasAsked(asking)
  if (!canAsk && isPersonal(order))
    throw new Fault('PERSON_NEEDED', { tool, would, command: order.spec.verb?.name ?? tool })
  const confirm = confirmations.open(call, plan)
  if (!canAsk) throw new Fault('CONFIRM_NEEDED', { tool, would, confirm })
  return inputRequired({
    inputRequests: { [CONFIRM]: question(order, would) },
    requestState: await desk.options.rounds.mint({ root: asked.cwd, confirm }),
  })
}

/**
 * The token of a confirmed call: from its arguments, or from the sealed state of the question that the user accepted.
 */
function tokenOf(desk: McpSession, tool: string, { ctx, confirm }: Asking): string | undefined {
  const view = inputResponse(ctx.mcpReq.inputResponses, CONFIRM)
  if (view.kind !== 'elicit') return confirm === undefined ? undefined : asText(confirm)
  // A client without a person may claim that it can ask, and cancel every question at once.
  if (view.action === 'cancel' && desk.options.confirmations.isFresh(roundOf(ctx).confirm ?? '')) return undefined
  if (view.action !== 'accept' || view.content?.[CONFIRM] === false) throw new Fault('CONFIRM_DECLINED', { tool })
  return roundOf(ctx).confirm ?? ''
}

const wasAsked = ({ ctx }: Asking): boolean => inputResponse(ctx.mcpReq.inputResponses, CONFIRM).kind === 'elicit'

/** Whether the client can show its user a form. An empty capability means that it can. */
function canAnswer({ capabilities: { elicitation } }: McpCaller): boolean {
  return elicitation !== undefined && (elicitation.form !== undefined || Object.keys(elicitation).length === 0)
}

const question = ({ spec }: CheckedCall, would: string) =>
  inputRequired.elicit({
    message: `${spec.summary}?\n\n${would}`,
    requestedSchema: {
      type: 'object',
      properties: { [CONFIRM]: { type: 'boolean', title: 'Yes, do it', default: true } },
      required: [],
    },
  })

interface Shown {
  /** The text for a person. */
  readonly would: string
  /** A hash of all of it, with the ids that words such as `latest` stand for: equal only if the same would be done. */
  readonly plan: string
}

/** What would happen: by a dry run if the tool has one, else described by the call's arguments. */
async function whatWould(desk: McpSession, order: CheckedCall, asked: McpCallRequest): Promise<Shown> {
  const { spec, input } = order
  const reached = [...reachedBy(spec, input).map(reachedText), ...(await targetOf(desk, order, asked))]
  const dry = 'dry_run' in spec.input.shape ? await desk.run({ spec, input: { ...input, dry_run: true } }, asked) : null
  const text = dry === null ? givenText(order) : textOf(spec, dry)
  // A warning does not change what would be done, and some warnings appear only once.
  const all = JSON.stringify([reached, dry === null ? text : { ...dry, warnings: [] }])
  return { would: visible([...reached, shortened(text)].join('\n')), plan: toHex(sha256(Buffer.from(all))) }
}

/**
 * The snapshot that a word such as `latest` stands for now, for a tool without a dry run. The other arguments are in
 * the plan as given: ids are stable, and such a tool captures the files that it replaces before.
 */
async function targetOf(desk: McpSession, { spec, input }: CheckedCall, asked: McpCallRequest): Promise<string[]> {
  const { workspace, snapshot_id } = input
  if ('dry_run' in spec.input.shape || typeof snapshot_id !== 'string') return []
  try {
    const shown = (await desk.options.rooms.call('show', { workspace, snapshot_id }, asked)) as { snapshot_id: string }
    return shown.snapshot_id === snapshot_id ? [] : [`${oneLine(snapshot_id)} is ${shown.snapshot_id}`]
  } catch {
    // An issue, or nothing that exists: the tool itself reports that.
    return []
  }
}

/** In full, however long: a person cannot consent to what is cut off. */
const reachedText = ({ field, reach, value }: Reached): string => `${REACHES[reach]} (${field}): ${oneLine(value)}`

const REACHES: Readonly<Record<Reach, string>> = {
  reads: 'It reads a file outside the workspace',
  writes: 'It writes files, those with secrets as well, into a folder',
  runs: 'It runs a command',
}

function givenText({ spec, input }: CheckedCall): string {
  const told = new Set(['workspace', 'session_id', ...reachedBy(spec, input).map(({ field }) => field)])
  const given = Object.entries(input).filter(([field]) => !told.has(field))
  return `${spec.summary}: ${JSON.stringify(Object.fromEntries(given))}`
}

const shortened = (text: string): string => (text.length > SHOWN ? `${text.slice(0, SHOWN)}\n…` : text)
