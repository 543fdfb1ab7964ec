import { posix } from 'node:path'
import { forEachChild, type ParsedScript, type SyntaxNode, type Word, type WordPart } from 'unbash'
import { type Arg, textOf } from '../options.ts'
import { ANY, ATOM, GLOB, LOOSE, WORDS } from '../paths.ts'
import { type Scope, subshell, valueOf } from '../scope.ts'
import { ATOMS } from '../tables/programs.ts'

/** Called for every script inside a word: `$(…)`, `<(…)`. */
export type VisitScript = (script: ParsedScript, scope: Scope) => void

/** Expands a word: into several words where it has braces or `$@`. */
export function expand(word: Word, scope: Scope, visit: VisitScript): Arg[] {
  const parts = word.parts
  if (parts === undefined) return [[tilde(word.value, word.text, scope)]]
  const fields = join(parts, scope, visit, false)
  if (fields.length === 1 && UNKNOWN.test(textOf(fields[0]))) return [[unknownWord(word)]]
  if (isNothing(fields, parts)) return []
  const first = parts[0]
  if (first?.type !== 'Literal' || !first.value.startsWith('~')) return fields
  return fields.map((field) => field.map((text) => tilde(text, word.text, scope)))
}

/** As `expand`, where exactly one word is possible: the target of a redirection, the value of a variable. */
export function expandOne(word: Word, scope: Scope, visit: VisitScript): Arg {
  const values = expand(word, scope, visit).flat()
  return values.length === 0 ? [''] : values.map((text) => (UNKNOWN.test(text) ? ANY : text))
}

/** An empty variable without quotes produces no word: `$SUDO rm x`. */
const isNothing = (fields: readonly Arg[], parts: readonly WordPart[]): boolean =>
  parts.length === 1 && parts[0]?.type.endsWith('Expansion') === true && fields.flat().every((text) => text === '')

/** Variables whose names suggest that they hold words for a program, perhaps options. */
const FOR_WORDS = /(^|_)(flags?|opts?|options?|args?|argv|params?|extra|mode|action)s?$/i

/** A completely unknown text. */
const UNKNOWN = new RegExp(`^${ANY}[${ANY}${ATOM}]*$`)

/** The placeholder for an unknown word: whether it may contain options depends on how it is written. */
function unknownWord({ parts, text }: Word): string {
  if (parts?.length !== 1) return ANY
  const name = /^"?\$\{?([\w@*]+)/.exec(text)?.[1] ?? ''
  if (name === '@' || name === '*' || FOR_WORDS.test(name)) return WORDS
  return text.startsWith('"') ? ANY : LOOSE
}

function tilde(value: string, text: string, scope: Scope): string {
  if (!text.startsWith('~')) return value
  const name = /^~([^/]*)/.exec(value)?.[1] ?? ''
  const [pwd = ANY, before = ANY] = [scope.cwd[0], scope.before[0]]
  const folder = name === '' ? (scope.home ?? ANY) : name === '+' ? pwd : name === '-' ? before : ANY
  return folder + value.slice(name.length + 1)
}

const MOST = 64

function join(parts: readonly WordPart[], scope: Scope, visit: VisitScript, quoted: boolean): Arg[] {
  let fields: Arg[] = [['']]
  for (const part of parts) {
    const pieces = piecesOf(part, scope, visit, quoted)
    fields = fields.flatMap((field) => pieces.map((piece) => product(field, piece)))
    if (fields.length > MOST) return [[ANY]]
  }
  return fields
}

const product = (left: Arg, right: Arg): Arg =>
  left.length * right.length > MOST ? [ANY] : left.flatMap((a) => right.map((b) => a + b))

function piecesOf(part: WordPart, scope: Scope, visit: VisitScript, quoted: boolean): readonly Arg[] {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return [[part.value]]
    case 'DoubleQuoted':
    case 'LocaleString':
      return join(part.parts, scope, visit, true)
    case 'Glob':
    case 'ExtendedGlob':
      return [[GLOB]]
    case 'BraceExpansion':
      return braces(part.text).map((text) => [text])
    case 'SimpleExpansion':
      return variable(part.text.slice(1), scope, quoted)
    case 'ParameterExpansion':
      return parameter(part, scope, visit, quoted)
    case 'CommandExpansion':
      return [part.script === undefined ? [ANY] : resultOf(part.script, scope, visit)]
    case 'ArithmeticExpansion':
      visitScripts(part, scope, visit)
      return [[ATOM]]
    case 'ProcessSubstitution':
      if (part.script) visit(part.script, subshell(scope))
      return [['/dev/fd/63']]
  }
}

function variable(name: string, scope: Scope, quoted: boolean): readonly Arg[] {
  if (name === '@' || name === '*') return scope.args ?? [[ANY]]
  const values = valueOf(name, scope)
  if (quoted || !values.some((value) => /\s/.test(value))) return [values]
  if (values.length > 1) return [[WORDS]]
  return textOf(values)
    .trim()
    .split(/\s+/)
    .map((text) => [text])
}

type Parameter = Extract<WordPart, { type: 'ParameterExpansion' }>

function parameter(part: Parameter, scope: Scope, visit: VisitScript, quoted: boolean): readonly Arg[] {
  visitScripts(part, scope, visit)
  if (part.prefix === '#') return [[ATOM]]
  if (part.prefix === '!') return [[ANY]]
  const { operation } = part
  if (operation === undefined) return variable(part.parameter, scope, quoted)
  const values = valueOf(part.parameter, scope)
  if (operation.type === 'Default') return [orElse(values, operation, scope)]
  if (operation.type !== 'Remove') return [[ANY]]
  if (operation.operator === '##' && operation.operand.text === '*/') return [[ATOM]]
  const cut = operation.operand.parts === undefined ? operation.operand.value : undefined
  if (cut === undefined) return [[ANY]]
  return [values.map((value) => removed(value, cut, operation.operator.startsWith('%')))]
}

type OrElse = Extract<NonNullable<Parameter['operation']>, { type: 'Default' }>

/**
 * `${FIX:+--fix}` is the operand or nothing; `${OUT:-dist}` is the variable's value, or the operand if that is empty.
 */
function orElse(values: Arg, { operator, operand }: OrElse, scope: Scope): Arg {
  const other = expandOne(operand, scope, () => {})
  if (operator.includes('+')) return ['', ...other]
  return values.includes('') ? [...values, ...other] : values
}

/** Removes a known text at the end or beginning; a value that is not known to have it becomes unknown. */
function removed(value: string, cut: string, atEnd: boolean): string {
  if (atEnd) return value.endsWith(cut) ? value.slice(0, value.length - cut.length) : ANY
  return value.startsWith(cut) ? value.slice(cut.length) : ANY
}

/** Visits the scripts inside words that are not expanded. */
export function visitScripts(node: SyntaxNode, scope: Scope, visit: VisitScript): void {
  forEachChild(node, (child) => {
    if (child.type === 'Script') visit(child, subshell(scope))
    else visitScripts(child, scope, visit)
  })
}

/** The output of a `$(…)`, where it is simple to determine. */
function resultOf(script: ParsedScript, scope: Scope, visit: VisitScript): Arg {
  visit(script, subshell(scope))
  const command = script.commands.length === 1 ? script.commands[0]?.command : undefined
  if (command?.type !== 'Command' || command.name === undefined) return [ANY]
  const name = command.name.value
  if (name === 'pwd') return scope.cwd
  if (ATOMS.has(name)) return [ATOM]
  const words = command.args.flatMap((arg) => (arg.type === 'Word' ? expand(arg, scope, () => {}) : []))
  const operands = words.filter((word) => !word[0]?.startsWith('-'))
  if (name === 'mktemp' && operands.every((word) => word[0]?.startsWith('/'))) return [`/tmp/tmp.${ATOM}`]
  if (name === 'dirname' && operands.length === 1) return operands[0]?.map((path) => posix.dirname(path)) ?? [ANY]
  return [ANY]
}

/** Expands `{a,b}` and `{1..3}`, also nested. */
function braces(text: string): string[] {
  const inner = text.slice(1, -1)
  const range = /^(-?\d+)\.\.(-?\d+)$/.exec(inner)
  if (range) return rangeOf(Number(range[1]), Number(range[2]))
  const options = splitTop(inner)
  if (options.length === 1 || /[$`*?[]/.test(inner)) return [ANY]
  return options.flatMap((option) => {
    const open = option.indexOf('{')
    const close = option.lastIndexOf('}')
    if (open === -1 || close < open) return [option]
    return braces(option.slice(open, close + 1)).map((one) => option.slice(0, open) + one + option.slice(close + 1))
  })
}

function rangeOf(from: number, to: number): string[] {
  const count = Math.abs(to - from) + 1
  if (count > MOST) return [ATOM]
  return Array.from({ length: count }, (_, at) => String(from < to ? from + at : from - at))
}

/** Splits at the commas outside of inner braces. */
function splitTop(text: string): string[] {
  const parts = ['']
  let depth = 0
  for (const char of text) {
    if (char === '{') depth++
    if (char === '}') depth--
    if (char === ',' && depth === 0) parts.push('')
    else parts[parts.length - 1] += char
  }
  return parts
}
