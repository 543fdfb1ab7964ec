import { bytesFromName, nameFromBytes } from '../../base/quote.ts'

/** A name in a header, with what follows it. */
export interface Label {
  /** With its prefix; null for `/dev/null`. */
  readonly name: string | null
  readonly stamp: string | null
}

const QUOTED = /^"((?:[^"\\]|\\.)*)"/s
/** Mail programs turn the TAB before a time into a space. */
const SPACED_TIME = /^(.+?) +(\d{4}-\d\d-\d\d \d\d:\d\d(?::\d\d(?:\.\d+)?)?(?: [-+]\d{4})?)$/s

/** Parses the part of a `---` or `+++` line after the mark; undefined when it is not a name. */
export function parseLabel(text: string): Label | undefined {
  const quoted = readQuoted(text)
  if (text.startsWith('"') && !quoted) return undefined
  const name = quoted ? quoted.name : (text.split('\t', 1)[0] ?? '')
  const rest = quoted ? quoted.rest : text.slice(name.length)
  const time = rest === '' && !quoted ? SPACED_TIME.exec(name) : null
  if (time) return labelOf(time[1] ?? '', time[2] ?? '')
  if (rest !== '' && !rest.startsWith('\t')) return undefined
  return name === '' ? undefined : labelOf(name, rest === '' ? null : rest.slice(1))
}

const labelOf = (name: string, stamp: string | null): Label => ({ name: name === '/dev/null' ? null : name, stamp })

/** A name that is alone, such as after `rename from`. */
export function parseName(text: string): string | undefined {
  const quoted = readQuoted(text)
  if (quoted) return quoted.rest === '' ? quoted.name : undefined
  return text === '' || text.startsWith('"') ? undefined : text
}

function readQuoted(text: string): { name: string; rest: string } | undefined {
  const match = QUOTED.exec(text)
  const name = match ? unquote(match[1] ?? '') : undefined
  return match && name !== undefined ? { name, rest: text.slice(match[0].length) } : undefined
}

const ESCAPED = /\\(?:([0-3][0-7]{2})|([abtnvfr"\\]))|[^\\]+|\\/gs
const UNESCAPES: Readonly<Record<string, number>> = { a: 7, b: 8, t: 9, n: 10, v: 11, f: 12, r: 13, '"': 34, '\\': 92 }

function unquote(body: string): string | undefined {
  const parts: Uint8Array[] = []
  for (const [part, octal, letter] of body.matchAll(ESCAPED)) {
    if (octal !== undefined) parts.push(Uint8Array.of(Number.parseInt(octal, 8)))
    else if (letter !== undefined) parts.push(Uint8Array.of(UNESCAPES[letter] ?? 0))
    else if (part === '\\') return undefined
    else parts.push(bytesFromName(part))
  }
  return nameFromBytes(Buffer.concat(parts))
}

interface Pair {
  readonly old: string
  readonly new: string
}

/** Both names, with prefixes, of a `diff --git` line; undefined unless they are equal below their prefixes. */
export function parseGitLine(text: string): Pair | undefined {
  const alike = (pair: Pair): number => sameEnd(pair.old.split('/'), pair.new.split('/')).length
  const [best] = splitsOf(text).sort((a, b) => alike(b) - alike(a))
  return best && alike(best) > 0 ? best : undefined
}

/** The prefixes of the names of a renamed file in a `diff --git` line. */
export function renamePrefixes(text: string, from: string, to: string): Prefixes | undefined {
  const pair = splitsOf(text).find((each) => each.old.endsWith(from) && each.new.endsWith(to))
  return pair && { old: cutEnd(pair.old, from), new: cutEnd(pair.new, to) }
}

/** All ways to split a text into two names. Without quotes, any of the spaces may be the separator. */
function splitsOf(text: string): Pair[] {
  const quoted = readQuoted(text)
  const ends = quoted ? [text.length - quoted.rest.length] : [...text.matchAll(/ /g)].map(({ index }) => index)
  return ends.flatMap((end) => {
    const [old, current] = [parseName(text.slice(0, end)), parseName(text.slice(end + 1))]
    return text[end] === ' ' && old !== undefined && current !== undefined ? [{ old, new: current }] : []
  })
}

export interface Prefixes {
  readonly old: string
  readonly new: string
}

/** `git diff` writes a/ and b/, and with `diff.mnemonicPrefix` other letters. */
const LETTER = /^[abciow12]\//

/**
 * The prefixes of a pair of names: git's letters; otherwise the folders in which the names differ, as in `diff -r old
 * new`. A single name cannot be compared, so only a/ and b/ count.
 */
export function prefixesOf(old: string | null, current: string | null): Prefixes {
  if (old === null || current === null) {
    const lone = /^[ab]\//.exec(old ?? current ?? '')?.[0] ?? ''
    const other = lone === 'a/' ? 'b/' : lone === 'b/' ? 'a/' : ''
    return old === null ? { old: other, new: lone } : { old: lone, new: other }
  }
  if (LETTER.test(old) && LETTER.test(current) && old[0] !== current[0])
    return { old: old.slice(0, 2), new: current.slice(0, 2) }
  const same = sameEnd(old.split('/'), current.split('/'))
  return same === '' ? { old: '', new: '' } : { old: cutEnd(old, same), new: cutEnd(current, same) }
}

function sameEnd(a: readonly string[], b: readonly string[]): string {
  let n = 0
  while (n < a.length && n < b.length && a.at(-1 - n) === b.at(-1 - n)) n++
  return a.slice(a.length - n).join('/')
}

const cutEnd = (name: string, end: string): string => name.slice(0, name.length - end.length)
