import {
  applyEdits,
  findNodeAtLocation,
  getNodeValue,
  type JSONPath,
  modify,
  type Node,
  type ParseError,
  parseTree,
  printParseErrorCode,
} from 'jsonc-parser'

/**
 * Adds hooks to a client's settings and removes them again by editing the text: comments, order, spaces and line ends
 * of everything else stay as they are. The hooks of all these clients have one form: `{"hooks": {"EVENT": [{"matcher":
 * …, "hooks": [{"command": …}]}]}}`.
 */

/** The entries to add, by event. */
export type Entries = Readonly<Record<string, readonly object[]>>

export type SettingsEdit = { readonly text: string; readonly pieces: readonly string[] } | { readonly problem: string }

/** The root of a text, undefined when the text is empty; or a sentence that says where it cannot be parsed. */
function parse(text: string): Node | undefined | { readonly problem: string } {
  const errors: ParseError[] = []
  const root = parseDeep(withoutMark(text), errors)
  const [first] = errors
  if (root === 'too deep') return { problem: 'It is nested too deeply' }
  if (first === undefined) return root
  const lines = text.slice(0, first.offset).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  return {
    problem: `It is not valid JSON (${printParseErrorCode(first.error)} at line ${lines.length}, column ${column})`,
  }
}

/** The parser recurses for each level: deeply nested brackets exhaust the stack. */
function parseDeep(text: string, errors: ParseError[]): Node | undefined | 'too deep' {
  try {
    return parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  } catch (error) {
    if (error instanceof RangeError) return 'too deep'
    throw error
  }
}

/** The parser does not accept a byte order mark; a blank in its place keeps all offsets. */
const withoutMark = (text: string): string => (text.startsWith('\uFEFF') ? ` ${text.slice(1)}` : text)

const isProblem = (parsed: ReturnType<typeof parse>): parsed is { readonly problem: string } =>
  parsed !== undefined && 'problem' in parsed

/** The value at a path; undefined when there is none. */
const at = (root: Node | undefined, ...path: JSONPath): Node | undefined => root && findNodeAtLocation(root, path)

interface Cut {
  readonly at: number
  readonly piece: string
}

/** The text with the entries added, and the pieces that were inserted. The settings must have no hooks of ours yet. */
export function addEntries(text: string, entries: Entries): SettingsEdit {
  const style = styleOf(text)
  const root = parse(text)
  if (isProblem(root)) return root
  if (root === undefined) return whole(text, entries, style)
  const problem = misfit(root, Object.keys(entries))
  if (problem !== undefined) return { problem }
  const hooks = at(root, 'hooks')
  const cuts = hooks
    ? intoHooks(text, hooks, entries, style)
    : [insert(root, [`"hooks": ${written(entries, 1, style)}`], 0, style)]
  return { text: apply(text, cuts), pieces: cuts.map(({ piece }) => piece) }
}

/** For a file without any value in it. */
function whole(text: string, entries: Entries, style: Style): SettingsEdit {
  const begin = /[^\n\uFEFF]$/.test(text) ? style.eol : ''
  const piece = `${begin}${written({ hooks: entries }, 0, style)}${style.eol}`
  return { text: text + piece, pieces: [piece] }
}

function misfit(root: Node, events: readonly string[]): string | undefined {
  if (root.type !== 'object') return 'It is not an object'
  const hooks = at(root, 'hooks')
  if (hooks === undefined) return undefined
  if (hooks.type !== 'object') return '"hooks" is not an object'
  const odd = events.find((event) => (at(hooks, event)?.type ?? 'array') !== 'array')
  return odd === undefined ? undefined : `"hooks.${odd}" is not a list`
}

function intoHooks(text: string, hooks: Node, entries: Entries, style: Style): Cut[] {
  const depth = depthOf(text, hooks, style)
  const missing: Record<string, readonly object[]> = {}
  const cuts: Cut[] = []
  for (const [event, ours] of Object.entries(entries)) {
    const list = at(hooks, event)
    const parts = ours.map((entry) => written(entry, depth + 2, style))
    if (list) cuts.push(insert(list, parts, depth + 1, style))
    else missing[event] = ours
  }
  const members = Object.entries(missing).map(([event, list]) => `"${event}": ${written(list, depth + 1, style)}`)
  if (members.length > 0) cuts.push(insert(hooks, members, depth, style))
  return cuts
}

/** Inserts behind the last element, or into the empty brackets. */
function insert(into: Node, parts: readonly string[], depth: number, { eol, unit }: Style): Cut {
  const lines = parts.join(`,${eol}${unit.repeat(depth + 1)}`)
  const last = into.children?.at(-1)
  return last === undefined
    ? { at: into.offset + 1, piece: `${eol}${unit.repeat(depth + 1)}${lines}${eol}${unit.repeat(depth)}` }
    : { at: last.offset + last.length, piece: `,${eol}${unit.repeat(depth + 1)}${lines}` }
}

interface Style {
  readonly eol: string
  readonly unit: string
}

function styleOf(text: string): Style {
  const unit = /^(\t+| +)\S/m.exec(text)?.[1] ?? '  '
  return { eol: /\r\n/.test(text) ? '\r\n' : '\n', unit: unit.startsWith('\t') ? '\t' : unit }
}

/** The indentation depth of a value, from its line. */
function depthOf(text: string, { offset }: Node, { unit }: Style): number {
  const line = text.slice(text.lastIndexOf('\n', offset) + 1, offset)
  const blank = /^[ \t]*/.exec(line)?.[0] ?? ''
  return Math.max(1, Math.round(blank.length / unit.length))
}

const written = (value: object, depth: number, { eol, unit }: Style): string =>
  JSON.stringify(value, null, unit)
    .split('\n')
    .join(`${eol}${unit.repeat(depth)}`)

function apply(text: string, cuts: readonly Cut[]): string {
  let done = text
  for (const cut of [...cuts].sort((a, b) => b.at - a.at)) done = done.slice(0, cut.at) + cut.piece + done.slice(cut.at)
  return done
}

/** Whether a hook is one of ours. */
type IsOurs = (hook: object) => boolean

/** Our entries, by event. */
export function ourEntries(text: string, isOurs: IsOurs): Entries | { readonly problem: string } {
  const root = parse(text)
  if (isProblem(root)) return root
  const found: Record<string, object[]> = {}
  for (const { event, groups } of listsIn(root))
    for (const group of groups) if (hooksOf(group).some(isOurs)) (found[event] ??= []).push(group)
  return found
}

/**
 * The text without our hooks. `pieces` is what was inserted: if all of it is still there, cutting it out restores the
 * text as it was. Otherwise the hooks are searched for, and removed with the lists and objects that become empty.
 */
export function removeEntries(text: string, pieces: readonly string[], isOurs: IsOurs): SettingsEdit {
  const root = parse(text)
  if (isProblem(root)) return root
  const searched = searchedOut(text, isOurs)
  const cut = cutOut(text, pieces)
  const isSame = cut !== undefined && valueOf(cut) === valueOf(searched)
  return { text: isSame ? cut : searched, pieces: [] }
}

/** The value of a text, regardless of empty lists in it; undefined when it cannot be parsed. */
function valueOf(text: string): string | undefined {
  const root = parse(text)
  if (isProblem(root)) return undefined
  const { hooks, ...others } = (root ? getNodeValue(root) : {}) as { hooks?: Record<string, unknown[]> }
  const filled = Object.entries(hooks ?? {}).filter(([, list]) => list.length > 0)
  return JSON.stringify([others, filled])
}

/** Undefined when a piece is missing, or occurs more than once. */
function cutOut(text: string, pieces: readonly string[]): string | undefined {
  let rest = text
  for (const piece of pieces) {
    const at = rest.indexOf(piece)
    if (at === -1 || rest.lastIndexOf(piece) !== at) return undefined
    rest = rest.slice(0, at) + rest.slice(at + piece.length)
  }
  return pieces.length === 0 ? undefined : rest
}

/** Removes one hook at a time, from the inside out: each removal may leave something empty that is removed next. */
function searchedOut(text: string, isOurs: IsOurs): string {
  for (let rest = text; ; ) {
    const root = parse(rest)
    const path = root === undefined || isProblem(root) ? undefined : nextOut(root, isOurs)
    if (path === undefined) return rest
    rest = without(rest, path)
  }
}

const without = (text: string, path: JSONPath): string =>
  applyEdits(text, modify(withoutMark(text), path, undefined, {}))

/** The largest part to remove with our first hook: the hook, or whatever holds nothing else. */
function nextOut(root: Node, isOurs: IsOurs): JSONPath | undefined {
  const lists = listsIn(root)
  for (const { event, groups } of lists)
    for (const [i, group] of groups.entries()) {
      const hooks = hooksOf(group)
      const j = hooks.findIndex(isOurs)
      if (j === -1) continue
      if (hooks.length > 1) return ['hooks', event, i, 'hooks', j]
      if (groups.length > 1) return ['hooks', event, i]
      return at(root, 'hooks')?.children?.length === 1 ? ['hooks'] : ['hooks', event]
    }
  return undefined
}

type Group = { readonly hooks?: unknown }

function listsIn(root: Node | undefined): { event: string; groups: Group[] }[] {
  const hooks: unknown = root && getNodeValue(root)?.hooks
  if (typeof hooks !== 'object' || hooks === null) return []
  return Object.entries(hooks).flatMap(([event, groups]) => (Array.isArray(groups) ? [{ event, groups }] : []))
}

const hooksOf = (group: Group): object[] => (Array.isArray(group?.hooks) ? group.hooks : [])
