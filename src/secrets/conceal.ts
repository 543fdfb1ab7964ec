import { inPath } from '../base/quote.ts'
import type { Config } from '../schema/config.ts'
import { bytesOf, textOf } from './bytes.ts'
import { MARK } from './range.ts'
import { type IsSecretPath, secretPaths } from './secret-paths.ts'

/** Hides the contents of secret files from the reader of an answer. Everything else is unchanged. */
export interface Conceal {
  readonly isSecret: IsSecretPath
  /** The contents of a file: a secret one is blanked completely; of an `.env` file the names stay. */
  bytes(path: string, bytes: Uint8Array): Uint8Array
  text(path: string, text: string): string
  /** A diff (unified, git or context): the lines of secret files are blanked, its structure stays. */
  diff(diff: string): string
  diffBytes(diff: Uint8Array): Uint8Array
}

/** Decides by the settings of the workspace. */
export function concealPaths(config: Pick<Config, 'secrets'>): Conceal {
  const isSecret = secretPaths(config)
  const text = (path: string, content: string): string => (isSecret(path) ? blank(path, content) : content)
  const diff = (content: string): string => concealDiff(content, isSecret)
  return {
    isSecret,
    text,
    bytes: (path, bytes) => (isSecret(path) ? bytesOf(blank(path, textOf(bytes))) : bytes),
    diff,
    diffBytes: (bytes) => bytesOf(diff(textOf(bytes))),
  }
}

const ENV = /(?:^|\/)\.env[^/]*$|\.env$/i
const SETTING = /^([ \t]*(?:export[ \t]+)?[A-Za-z_][A-Za-z0-9_.-]{0,63}[ \t]*=)[ \t]*(.*)$/

function blank(path: string, content: string): string {
  if (content === '') return ''
  if (!ENV.test(path)) return `${MARK}\n`
  let within: string | undefined
  const lines = content.split('\n').map((line) => {
    const [shown, next] = blankSetting(line, within)
    within = next
    return shown
  })
  return lines.join('\n')
}

/** Blanks one line of an `.env` file; also returns the quote that is still open after it. */
function blankSetting(line: string, within: string | undefined): [string, string | undefined] {
  const end = line.endsWith('\r') ? '\r' : ''
  const body = line.slice(0, line.length - end.length)
  if (within !== undefined) return [MARK + end, body.includes(within) ? undefined : within]
  if (body.trim() === '') return [line, undefined]
  const [, name, value = ''] = SETTING.exec(body) ?? []
  // Base64 may end in a line that looks like a setting without a value.
  if (name === undefined || /^=*$/.test(value))
    return [name !== undefined && /^[A-Z_][A-Z0-9_]*=$/.test(body) ? line : MARK + end, undefined]
  const quote = /^["'`]/.exec(value)?.[0]
  const isOpen = quote !== undefined && !value.slice(1).includes(quote)
  return [`${name}${MARK}${end}`, isOpen ? quote : undefined]
}

const SECTION = /^(?:diff --git |diff --cc |Index: )/
const HUNK = /^(@@ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@)/
const OLD = /^(?:---|\*\*\*) (?!\d+(?:,\d+)? (?:\*\*\*\*|----)$)(.*)$/
const NEW = /^(?:\+\+\+|---) (?!\d+(?:,\d+)? (?:\*\*\*\*|----)$)(.*)$/
const FRAME =
  /^(?:diff --git |diff --cc |Index: |index |old mode |new mode |deleted file |new file |similarity |dissimilarity |rename |copy |Binary files |GIT binary patch$|(?:literal|delta) \d+$|\*{15}|\*\*\* \d+(?:,\d+)? \*\*\*\*|--- \d+(?:,\d+)? ----|\\ No newline|={20,}$)/

/** The position of a reader in a diff. */
interface Place {
  isSecret: boolean
  /** Remaining lines of the hunk, old and new. */
  old: number
  new: number
}

/** The same diff, with the lines of secret files blanked. The number of lines and the kind of each stay. */
function concealDiff(diff: string, isSecret: IsSecretPath): string {
  const place: Place = { isSecret: false, old: 0, new: 0 }
  const lines = diff.split('\n')
  return lines.map((line, at) => concealLine(line, lines, at, place, isSecret)).join('\n')
}

function concealLine(line: string, lines: readonly string[], at: number, place: Place, isSecret: IsSecretPath): string {
  if (place.old > 0 || place.new > 0) return inHunk(line, place)
  if (SECTION.test(line)) {
    place.isSecret = pathsOfSection(line).some(isSecret)
    return line
  }
  if (isHeader(line, lines[at + 1])) {
    const paths = [OLD.exec(line)?.[1], NEW.exec(lines[at + 1] ?? '')?.[1]].map(pathOf)
    place.isSecret = paths.some(isSecret)
    return line
  }
  const renamed = /^(?:rename|copy) (?:from|to) (.*)$/.exec(line)?.[1]
  if (renamed !== undefined && isSecret(inPath(renamed))) place.isSecret = true
  const hunk = HUNK.exec(line)
  if (hunk) {
    place.old = Number(hunk[2] ?? 1)
    place.new = Number(hunk[3] ?? 1)
    // The text after the line numbers is a line of the file.
    return place.isSecret ? (hunk[1] ?? '') : line
  }
  if (!place.isSecret || line === '' || FRAME.test(line) || isHeader(lines[at - 1] ?? '', line)) return line
  return `${/^[-+! ] ?/.exec(line)?.[0] ?? ''}${MARK}`
}

function inHunk(line: string, place: Place): string {
  const sign = line[0] ?? ' '
  if (sign === '\\') return line
  if (sign !== '+') place.old--
  if (sign !== '-') place.new--
  return place.isSecret && line !== '' ? `${sign}${MARK}` : line
}

/** `--- a/x` followed by `+++ b/x`; in a context diff `*** a/x` followed by `--- b/x`. */
const isHeader = (line: string, next: string | undefined): boolean =>
  next !== undefined &&
  ((line.startsWith('--- ') && next.startsWith('+++ ')) ||
    (line.startsWith('*** ') && next.startsWith('--- ') && OLD.test(line) && NEW.test(next)))

function pathOf(name = ''): string {
  const plain = inPath(name.replace(/\t.*$/, () => ''))
  return plain.replace(/^[abciow]\//, () => '')
}

/** Both names of `diff --git a/x b/y`; where the end of the first is ambiguous, every possible reading. */
function pathsOfSection(line: string): string[] {
  const names = line.replace(SECTION, () => '')
  if (!names.startsWith('"') && line.startsWith('Index: ')) return [names]
  const quoted = [...names.matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([name]) => pathOf(name))
  const parts = names.split(' b/')
  const ways = parts.map((_, i) => [parts.slice(0, i).join(' b/'), parts.slice(i).join(' b/')]).flat()
  return [...quoted, ...ways.map((name) => pathOf(name)), ...names.split(' ').map((name) => pathOf(name))].filter(
    Boolean,
  )
}
