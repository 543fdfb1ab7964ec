import type { Range } from './range.ts'
import { isPlain, isRandom, isScrambled } from './values.ts'

/** `scheme://user:password@host`; the password may hold anything but what ends an address. */
const USER_INFO = /([a-z][a-z0-9+.-]{1,30}:\/\/)([^\s/?#"'`<>\\:@]{0,200}):([^\s/?"'`<>\\]{1,500})@(?=[\w[(%$*{.-])/gi
const USER_ONLY = /([a-z][a-z0-9+.-]{1,30}:\/\/)([^\s/?#"'`<>\\:@]{16,500})@(?=[\w[-])/gi
const EMPTY_PASSWORD = /^(?:x-oauth-basic|x-oauth-token)$/
const REFERENCE = /^\*+|^[<[{$%]|^(?:\$\{|\{\{|<|%\w+%)|REDACTED/

function findUserInfo(text: string, into: Range[]): void {
  for (const found of text.matchAll(USER_INFO)) {
    const [whole, scheme = '', user = '', password = ''] = found
    const end = found.index + whole.length - 1
    if (EMPTY_PASSWORD.test(password) || isRandom(user)) {
      const start = found.index + scheme.length
      if (!REFERENCE.test(user)) into.push({ start, end: start + user.length })
      if (EMPTY_PASSWORD.test(password)) continue
    }
    if (!REFERENCE.test(password)) into.push({ start: end - password.length, end })
  }
  for (const found of text.matchAll(USER_ONLY)) {
    const [whole, scheme = '', user = ''] = found
    const start = found.index + scheme.length
    if (isRandom(user) && !REFERENCE.test(user)) into.push({ start, end: found.index + whole.length - 1 })
  }
}

/** The same without a scheme, as people write it: only where the password can be nothing else. */
const BARE_USER_INFO = /:(?<=(?<![\w:/@.-])[\w.-]{1,64}:)([^\s:@/"'`<>\\]{6,100})@(?=[a-z][\w-]*\.[a-z])/gi

function findBareUserInfo(text: string, into: Range[]): void {
  for (const found of text.matchAll(BARE_USER_INFO)) {
    const password = found[1] ?? ''
    const end = found.index + found[0].length - 1
    if (/\d/.test(password) && /[A-Za-z]/.test(password) && !REFERENCE.test(password))
      into.push({ start: end - password.length, end })
  }
}

/** `Authorization: Bearer …` and its like, in a header, in JSON, in a command; the scheme stays. */
const CREDENTIALS =
  /(?:\b|(?<=\\[nrt]))((?:proxy-)?authorization|x-[a-z-]*(?:api-?key|auth|token|secret|signature)[a-z-]*|api-key|apikey|private-token|x-vault-token|ocp-apim-subscription-key)(\\*["'`]?[ \t]*(?:[:=]|=>|：|(?<=["'`])[ \t]*,(?=[ \t]*\\*["'`]))[ \t]*\\*["'`]?[ \t]*)((?:bearer|basic|token|digest|negotiate|apikey|api-key|key|aws4-hmac-sha256|sso-key|bot|oauth|hawk)[ \t]+)?([^\s"'`\\<>]+(?:[ \t]*[,;] ?[A-Za-z]+=[^\s"'`\\<>]+)*)/gi
const BEARER = /(?:\b|(?<=\\[nrt]))(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{12,})/gi
const REFERENCES =
  /^(?:\$|<|\{|%|\*|\[|`|\(|undefined|null|string|process\.|z\.|[a-z]+[A-Z]\w*\(|[a-z]+\.[a-z]+|REDACTED)/

function findCredentials(text: string, into: Range[]): void {
  for (const found of text.matchAll(CREDENTIALS)) {
    const [whole, , , scheme, value = ''] = found
    const end = found.index + whole.length
    const isBare = scheme === undefined
    if (isPlain(value) || (REFERENCES.test(value) && !/\d/.test(value))) continue
    if (
      /^\$|^\*|^[<{[]/.test(value) ||
      (isBare && (value.length < 8 || (/^[A-Za-z]+(?:-[a-z]+)*[,;)]*$/.test(value) && !isScrambled(value, 1))))
    )
      continue
    into.push({ start: end - value.length, end })
  }
  for (const found of text.matchAll(BEARER)) {
    const value = found[1] ?? ''
    const end = found.index + found[0].length
    if (/\d/.test(value) || value.length >= 24)
      if (!/^[a-z]+(?:[-/.][a-z]+)*$/i.test(value)) into.push({ start: end - value.length, end })
  }
}

/** `Cookie: a=b; c=d`: the names stay, so do the attributes of `Set-Cookie`. */
const COOKIES =
  /(?:(?:\b|(?<=\\[nrt]))(?:set-)?cookie\\*["'`]?[ \t]*(?:[:,]|=(?=[ \t]*\\*["'`]))[ \t]*|(?:\b|(?<=\\[nrt]))curl\b[^\n|;]{0,300}?[ \t](?:-b|--cookie)[ \t=]+)\\*["'`]?[ \t]*((?:[\w.$%!#&+^|~-]+=[^;\s"'`\\]*(?:;[ \t]*)?|;?[ \t]*(?:HttpOnly|Secure|Partitioned)(?:;[ \t]*)?)+)/gi
const COOKIE = /([\w.$%!#&+^|~-]+)=([^;\s"'`\\]+)/g
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority)$/i

function findCookies(text: string, into: Range[]): void {
  for (const found of text.matchAll(COOKIES)) {
    const pairs = found[1] ?? ''
    const at = found.index + found[0].length - pairs.length
    for (const pair of pairs.matchAll(COOKIE)) {
      const [whole, name = '', value = ''] = pair
      if (ATTRIBUTES.test(name) || /REDACTED|^\$|^\*/.test(value)) continue
      const end = at + pair.index + whole.length
      into.push({ start: end - value.length, end })
    }
  }
}

/** What requests carry: addresses with passwords, headers, cookies. */
export function findInRequests(text: string, into: Range[]): void {
  findUserInfo(text, into)
  findBareUserInfo(text, into)
  findCredentials(text, into)
  findCookies(text, into)
}
