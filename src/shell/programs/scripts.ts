import { ANY } from '../paths.ts'

/** Small languages inside commands: which files their scripts write. */

/** The files that a sed script writes; undefined when it may run commands or cannot be parsed. */
export function sedWrites(script: string): string[] | undefined {
  const files: string[] = []
  let at = 0
  const skip = (pattern: RegExp): string => {
    const sticky = new RegExp(pattern.source, 'y')
    sticky.lastIndex = at
    const found = sticky.exec(script)?.[0] ?? ''
    at += found.length
    return found
  }
  const line = (): string => skip(/[^\n]*/).trim()
  while (at < script.length) {
    skip(/[\s;{}]*/)
    skip(SED_ADDRESS)
    skip(/[\s!]*/)
    const command = script[at++]
    if (command === undefined) break
    if (command === 's' || command === 'y') {
      const delimiter = script[at++] ?? '/'
      if (!passed(skip, delimiter)) return undefined
      const flags = skip(/[a-zA-Z0-9]*/)
      if (flags.includes('e')) return undefined
      if (flags.includes('w')) files.push(line())
    } else if (command === 'w' || command === 'W') files.push(line())
    else if (command === 'e') return undefined
    else if ('btT:'.includes(command)) skip(/[^\n;}]*/)
    else if ('aic'.includes(command)) skip(/(?:[^\n\\]|\\[^])*/)
    else if ('rR#'.includes(command)) line()
    else skip(/[\s\d]*/)
  }
  return files
}

/** A pattern of an address, between slashes or another delimiter; a slash in brackets does not end it. */
const sedPattern = (sign: string): string =>
  String.raw`(?:\/(?:\[\^?\]?[^\]\n]*\]|[^/\\\n[]|\\.)*\/|\\([^\n])(?:\\.|(?!${sign})[^\n])*${sign})[IM]*`

const SED_ADDRESS = new RegExp(
  String.raw`(?:(?:\d+|\$|${sedPattern('\\1')})(?:~\d+)?(?:\s*,\s*(?:[+~]?\d+|\$|${sedPattern('\\2')}))?)?`,
)

/** Skips the two halves of an `s` or `y` command. */
function passed(skip: (pattern: RegExp) => string, delimiter: string): boolean {
  const quoted = /[\w\s]/.test(delimiter) ? delimiter : `\\${delimiter}`
  const half = new RegExp(
    `(?:\\[\\^?\\]?[^\\]]*\\]|\\\\[^]|[^${quoted}\\\\[])*${quoted}|(?:\\\\[^]|[^${quoted}\\\\])*${quoted}`,
  )
  return skip(half) !== '' && skip(new RegExp(`(?:\\\\[^]|[^${quoted}\\\\])*${quoted}`)) !== ''
}

/** The files that an awk program writes; undefined when it may run commands, or writes to a computed name. */
export function awkWrites(program: string): string[] | undefined {
  const plain = blank(program)
  if (/\bsystem\s*\(|\|\s*getline|\|&/.test(plain)) return undefined
  const files: string[] = []
  for (const { text, start } of printsOf(plain)) {
    const out = topLevel(text)
    if (out === undefined) continue
    const target = program.slice(start + out.at + out.sign.length).trimStart()
    const [whole, literal] = /^"((?:[^"\\]|\\.)*)"/.exec(target) ?? []
    if (whole === undefined || literal === undefined) return undefined
    if (out.sign !== '|') files.push(isWhole(target.slice(whole.length)) ? literal : literal + ANY)
    else if (!/^(sort|uniq|head|tail|wc|cat|column)\b[^>|;&]*$/.test(literal)) return undefined
  }
  return files
}

/** Whether nothing is concatenated after a text: `"part" n ".txt"` is one name. */
const isWhole = (rest: string): boolean => /^\s*($|[;}\n#])/.test(rest)

/** The program without comments and with the contents of texts and patterns blanked out, at the same length. */
const blank = (program: string): string =>
  program.replace(/"(?:[^"\\]|\\.)*"|(?<=[(,~!&|{};=?:\n]\s*|^\s*)\/(?:[^/\\\n]|\\.)*\/|#[^\n]*/g, (text) =>
    text.startsWith('#') ? ' '.repeat(text.length) : `"${'_'.repeat(text.length - 2)}"`,
  )

function printsOf(program: string): { text: string; start: number }[] {
  return [...program.matchAll(/\bprintf?\b[^;}\n]*/g)].map((found) => ({ text: found[0], start: found.index }))
}

/** The first `>`, `>>` or `|` outside of parentheses. */
function topLevel(text: string): { sign: string; at: number } | undefined {
  let depth = 0
  for (let at = 0; at < text.length; at++) {
    const char = text[at] as string
    if (char === '(' || char === '[') depth++
    if (char === ')' || char === ']') depth--
    if (depth > 0) continue
    if (char === '|' && text[at + 1] === '|') at++
    else if (char === '>' || char === '|') return { sign: text.slice(at, at + 2) === '>>' ? '>>' : char, at }
  }
  return undefined
}

/** Perl code can change something only with one of these words. */
export const perlReads = (code: string): boolean =>
  !/\b(open|sysopen|unlink|system|exec|qx|rename|mkdir|rmdir|require|do|eval|syswrite|truncate|chmod|chown|symlink|link|utime|fork|dbmopen|select|use(?!\s+(strict|warnings|utf8|JSON|JSON::PP|List::Util|Data::Dumper|POSIX|feature)\b))\b|`|<<|\$\^I|\/[a-z]*e[a-z]*\s*(;|$)/.test(
    code,
  )
