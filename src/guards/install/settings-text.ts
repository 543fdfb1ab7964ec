import { type Json, type JsonArray, type JsonObject, memberOf, parseJsonc, plain } from './jsonc.ts'

/**
 * Hooks put into a client's settings and taken out again, by cutting and joining its text: comments, order, spaces and
 * line ends of everything else stay as they are. The hooks of all these clients have one shape:
 * `{"hooks": {"EVENT": [{"matcher": …, "hooks": [{"command": …}]}]}}`.
 */

/** What is to stand in the lists of the events. */
export type Entries = Readonly<Record<string, readonly object[]>>

export type Edit = { readonly text: string; readonly pieces: readonly string[] } | { readonly problem: string }

interface Cut {
  readonly at: number
  readonly length: number
  readonly piece: string
}

/** The text with the entries added, and the pieces that were put in. The settings have none of ours. */
export function addEntries(text: string, entries: Entries): Edit {
  const style = styleOf(text)
  const json = parseJsonc(text)
  if (json !== undefined && 'problem' in json) return json
  if (json === undefined) return whole(text, entries, style)
  const hooks = memberOf(json, 'hooks')?.value
  const problem = misfit(json, hooks, Object.keys(entries))
  if (problem !== undefined || json.kind !== 'object') return { problem: problem ?? 'It is no object' }
  const cuts =
    hooks?.kind === 'object'
      ? intoHooks(text, hooks, entries, style)
      : [insert(json, [`"hooks": ${written(entries, 1, style)}`], 0, style)]
  return { text: apply(text, cuts), pieces: cuts.map(({ piece }) => piece) }
}

/** A file without anything in it. */
function whole(text: string, entries: Entries, style: Style): Edit {
  const begin = /[^\n\uFEFF]$/.test(text) ? style.eol : ''
  const piece = `${begin}${written({ hooks: entries }, 0, style)}${style.eol}`
  return { text: text + piece, pieces: [piece] }
}

function misfit(json: Json, hooks: Json | undefined, events: readonly string[]): string | undefined {
  if (json.kind !== 'object') return 'It is no object'
  if (hooks === undefined) return undefined
  if (hooks.kind !== 'object') return '"hooks" is no object'
  const odd = events.find((event) => (memberOf(hooks, event)?.value.kind ?? 'array') !== 'array')
  return odd === undefined ? undefined : `"hooks.${odd}" is no list`
}

function intoHooks(text: string, hooks: JsonObject, entries: Entries, style: Style): Cut[] {
  const depth = depthOf(text, hooks, style)
  const missing: Record<string, readonly object[]> = {}
  const cuts: Cut[] = []
  for (const [event, ours] of Object.entries(entries)) {
    const list = memberOf(hooks, event)?.value
    const parts = ours.map((entry) => written(entry, depth + 2, style))
    if (list?.kind === 'array') cuts.push(insert(list, parts, depth + 1, style))
    else missing[event] = ours
  }
  const members = Object.entries(missing).map(([event, list]) => `"${event}": ${written(list, depth + 1, style)}`)
  if (members.length > 0) cuts.push(insert(hooks, members, depth, style))
  return cuts
}

/** Behind the last part, or into the empty brackets. */
function insert(into: JsonObject | JsonArray, parts: readonly string[], depth: number, style: Style): Cut {
  const { eol, unit } = style
  const lines = parts.join(`,${eol}${unit.repeat(depth + 1)}`)
  const last = into.kind === 'object' ? into.members.at(-1) : into.items.at(-1)?.value
  return last === undefined
    ? { at: into.start + 1, length: 0, piece: `${eol}${unit.repeat(depth + 1)}${lines}${eol}${unit.repeat(depth)}` }
    : { at: last.end, length: 0, piece: `,${eol}${unit.repeat(depth + 1)}${lines}` }
}

interface Style {
  readonly eol: string
  readonly unit: string
}

function styleOf(text: string): Style {
  const unit = /^(\t+| +)\S/m.exec(text)?.[1] ?? '  '
  return { eol: /\r\n/.test(text) ? '\r\n' : '\n', unit: unit.startsWith('\t') ? '\t' : unit }
}

/** How deep a value is set in, told from its line. */
function depthOf(text: string, json: Json, { unit }: Style): number {
  const line = text.slice(text.lastIndexOf('\n', json.start) + 1, json.start)
  const blank = /^[ \t]*/.exec(line)?.[0] ?? ''
  return Math.max(1, Math.round(blank.length / unit.length))
}

const written = (value: object, depth: number, { eol, unit }: Style): string =>
  JSON.stringify(value, null, unit)
    .split('\n')
    .join(`${eol}${unit.repeat(depth)}`)

function apply(text: string, cuts: readonly Cut[]): string {
  let done = text
  for (const { at, length, piece } of [...cuts].sort((a, b) => b.at - a.at))
    done = done.slice(0, at) + piece + done.slice(at + length)
  return done
}

/** Whether a hook is one of ours. */
type IsOurs = (hook: object) => boolean

/** The entries of ours, by event. */
export function ourEntries(text: string, isOurs: IsOurs): Entries | { readonly problem: string } {
  const json = parseJsonc(text)
  if (json !== undefined && 'problem' in json) return { problem: json.problem }
  const found: Record<string, object[]> = {}
  for (const { event, list } of listsIn(json))
    for (const { value } of list.items)
      if (hooksOf(value).some((hook) => isOurs(hook))) (found[event] ??= []).push(plain(value) as object)
  return found
}

/**
 * The text without our hooks. `pieces` is what was put in: if all of it still stands there, taking it out gives back the
 * text as it was. Otherwise the hooks are looked for, and taken out with what they leave empty.
 */
export function removeEntries(text: string, pieces: readonly string[], isOurs: IsOurs): Edit {
  const json = parseJsonc(text)
  if (json !== undefined && 'problem' in json) return json
  const searched = searchedOut(text, isOurs)
  const cut = cutOut(text, pieces)
  const isSame = cut !== undefined && valueOf(cut) === valueOf(searched)
  return { text: isSame ? cut : searched, pieces: [] }
}

/** What a text means, whether empty lists stand in it or not; undefined when it means nothing. */
function valueOf(text: string): string | undefined {
  const json = parseJsonc(text)
  if (json !== undefined && 'problem' in json) return undefined
  const { hooks, ...others } = (json === undefined ? {} : plain(json)) as { hooks?: Record<string, unknown[]> }
  const filled = Object.entries(hooks ?? {}).filter(([, list]) => list.length > 0)
  return JSON.stringify([others, filled])
}

/** Undefined when a piece is not there, or not only once. */
function cutOut(text: string, pieces: readonly string[]): string | undefined {
  let rest = text
  for (const piece of pieces) {
    const at = rest.indexOf(piece)
    if (at === -1 || rest.lastIndexOf(piece) !== at) return undefined
    rest = rest.slice(0, at) + rest.slice(at + piece.length)
  }
  return pieces.length === 0 ? undefined : rest
}

/** One at a time, from the inside out: each removal may leave something empty that goes next. */
function searchedOut(text: string, isOurs: IsOurs): string {
  let rest = text
  for (;;) {
    const json = parseJsonc(rest)
    if (json === undefined || 'problem' in json) return rest
    const next = nextOut(json, isOurs)
    if (next === undefined) return rest
    rest = without(rest, next)
  }
}

interface Part {
  readonly start: number
  readonly end: number
  readonly comma: number | undefined
  /** The comma before it, which goes when there is none behind. */
  readonly before: number | undefined
}

function nextOut(json: Json, isOurs: IsOurs): Part | undefined {
  for (const { event, list } of listsIn(json))
    for (const [i, { value }] of list.items.entries()) {
      const hooks = memberOf(value, 'hooks')?.value
      if (hooks?.kind !== 'array') continue
      const at = hooks.items.findIndex((item) => isOurs(plain(item.value) as object))
      if (at === -1) continue
      if (hooks.items.length > 1) return itemAt(hooks, at)
      if (list.items.length > 1) return itemAt(list, i)
      const all = memberOf(json, 'hooks')?.value as JsonObject
      return all.members.length > 1 ? memberAt(all, event) : memberAt(json as JsonObject, 'hooks')
    }
  return undefined
}

function itemAt({ items }: JsonArray, i: number): Part | undefined {
  const item = items[i]
  return item && { start: item.value.start, end: item.value.end, comma: item.comma, before: items[i - 1]?.comma }
}

function memberAt({ members }: JsonObject, key: string): Part | undefined {
  const i = members.findLastIndex((member) => member.key === key)
  const member = members[i]
  return member && { start: member.start, end: member.end, comma: member.comma, before: members[i - 1]?.comma }
}

/** Takes a part out with one comma, and with the rest of its line if nothing else stands there. */
function without(text: string, { start, end, comma, before }: Part): string {
  const to = comma === undefined ? end : comma + 1
  const blank = /(\r?\n)?[ \t]*$/.exec(text.slice(0, start))?.[0].length ?? 0
  const rest = text.slice(0, start - blank) + text.slice(to)
  return comma === undefined && before !== undefined ? rest.slice(0, before) + rest.slice(before + 1) : rest
}

function listsIn(json: Json | undefined): { event: string; list: JsonArray }[] {
  const hooks = memberOf(json, 'hooks')?.value
  if (hooks?.kind !== 'object') return []
  return hooks.members.flatMap(({ key, value }) => (value.kind === 'array' ? [{ event: key, list: value }] : []))
}

function hooksOf(group: Json): object[] {
  const hooks = memberOf(group, 'hooks')?.value
  return hooks?.kind === 'array' ? (plain(hooks) as object[]) : []
}
