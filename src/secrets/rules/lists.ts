import { all, type Range } from '../range.ts'
import { isDrawn, isPasswordLike } from './values.ts'

/** The condition for a member of a list, by the list's name. */
const KINDS: readonly (readonly [name: RegExp, isOne: (value: string) => boolean])[] = [
  [/^(?:passwords|passwds|creds|credentials|auth|login)$/i, (value) => isPasswordLike(value) || isDrawn(value)],
  [/^(?:users|accounts|logins)$/i, (value) => STRONG.test(value) && isPasswordLike(value)],
  [/./, isDrawn],
]
/** Lower-case letters and digits, with upper-case letters or signs among them. */
const STRONG = /^(?=.*[a-z])(?=.*\d)(?=.*[A-Z!@#$%^&*?]).{6,}$/

const NEXT = '(?:\\r?\\n|\\\\+n)'
/** A list or a map after its name, in brackets or in lines of YAML. */
const LIST = new RegExp(
  `(?<![\\w.])(passwords|passwds|secrets|tokens|api[_-]?keys|creds|credentials|auth|login|users|accounts|logins)\\\\*["']?[ \\t]*[:=][ \\t]*(?:[[({]([^\\][(){}]{6,1000})[\\])}]|((?:${NEXT}[+>]?[ \\t]*(?:-[ \\t]+|[ \\t][\\w.@-]{1,60}:[ \\t]+)[^\\s\\\\]{6,200}(?=[ \\t]*(?:${NEXT}|["'\`]|$))){1,50}))`,
  'gi',
)
const LITERAL = /\\*(["'])([^"'\\\n]{6,200})\\*\1(?![ \t]*(?::|=>))/g
const ITEM = /(?:-|:)[ \t]+\\*["']?([^\s"'\\]{6,200})/g

/** Passwords, tokens and keys in lists and maps: `passwords = ["…", "…"]`. */
export function findInLists(text: string, into: Range[]): void {
  for (const { index, 0: whole, 1: name = '', 2: inside, 3: lines = '' } of all(LIST, text)) {
    const isOne = KINDS.find(([kind]) => kind.test(name))?.[1] ?? isDrawn
    const members = inside ?? lines
    const at = index + whole.length - members.length - (inside === undefined ? 0 : 1)
    for (const found of all(inside === undefined ? ITEM : LITERAL, members)) {
      const value = found.at(-1) ?? ''
      const start = at + found.index + found[0].lastIndexOf(value)
      if (isOne(value)) into.push({ start, end: start + value.length })
    }
  }
}
