import { all, type Range } from '../range.ts'
import { isDrawn, isPasswordLike, isPlain, isRandom, isScrambled, isStandIn, isUuid } from './values.ts'

/** `scheme://user:password@host`; the password may contain anything that does not end an address. */
const USER_INFO = /(?<=[a-z0-9]):\/\/((?:[^\s/?#"'`<>\\:@]|\\\\){0,200}):([^\s/?"'`<>\\]{1,500})@(?=[\w[(%$*{.-])/gi
const USER_ONLY = /(?<=[a-z0-9]):\/\/([^\s/?#"'`<>\\:@]{16,500})@(?=[\w[-])/gi
const MARK_OF_SCHEME = '://'.length
const EMPTY_PASSWORD = /^(?:x-oauth-basic|x-oauth-token)$/
const REFERENCE = /^\*+|^[<[{$%]|^(?:\$\{|\{\{|<|%\w+%)|REDACTED/

function findUserInfo(text: string, into: Range[]): void {
  if (!text.includes('://')) return
  for (const found of all(USER_INFO, text)) {
    const [whole, user = '', password = ''] = found
    const end = found.index + whole.length - 1
    if (EMPTY_PASSWORD.test(password) || isRandom(user)) {
      const start = found.index + MARK_OF_SCHEME
      if (!REFERENCE.test(user)) into.push({ start, end: start + user.length })
      if (EMPTY_PASSWORD.test(password)) continue
    }
    if (!REFERENCE.test(password) && !isStandIn(password)) into.push({ start: end - password.length, end })
  }
  for (const found of all(USER_ONLY, text)) {
    const [whole, user = ''] = found
    const start = found.index + MARK_OF_SCHEME
    if (isRandom(user) && !REFERENCE.test(user)) into.push({ start, end: found.index + whole.length - 1 })
  }
}

/** Addresses that are secret as a whole, as tunnel programs share them. */
const SHARED = /\b(?:vmess|vless|trojan|ssr?|hysteria2?|tuic):\/\/([^\s@#"'`<>\\]{8,})/g
/** A login link: the part after the keyword is random. */
const SENT =
  /[/?&](?:log-?in|sign-?in|reset|reset[-_]password|password[-_/]reset|invite|invitations?|verify|confirm|activate|magic(?:-link)?|unsubscribe|join|accept|t|k|auth|ticket)[/=]([\w-]{20,})(?![\w-])/g

function findLinks(text: string, into: Range[]): void {
  for (const { index, 0: whole, 1: value = '' } of [...all(SHARED, text), ...all(SENT, text).filter(isLot)])
    into.push({ start: index + whole.length - value.length, end: index + whole.length })
}

const isLot = ({ 1: value = '' }: RegExpExecArray): boolean => isDrawn(value) && !/^[0-9a-f]+$/.test(value)

/** The same without a scheme, as people write it: only where the password can be nothing else. */
const BARE_USER_INFO =
  /:(?<=(?<![\w:/@.-])(?!\d{4}-\d\d-)[\w.-]{1,64}:)([^\s:@/"'`<>\\]{6,100})@(?=[a-z][\w-]*\.[a-z]|(?:tcp|unix)\()/gi

/** `ann@example.test:password`, as mail programs write it. */
const MAIL_PASSWORD = /@[\w-]+(?:\.[\w-]+)+:([^\s:@/"'`<>\\]{6,100})(?=[\s"'\\]|$)/g

function findBareUserInfo(text: string, into: Range[]): void {
  for (const { index, 0: whole, 1: password = '' } of all(MAIL_PASSWORD, text))
    if (isPasswordLike(password))
      into.push({ start: index + whole.length - password.length, end: index + whole.length })
  for (const found of all(BARE_USER_INFO, text)) {
    const password = found[1] ?? ''
    const end = found.index + found[0].length - 1
    if (/\d/.test(password) && /[A-Za-z]/.test(password) && !REFERENCE.test(password))
      into.push({ start: end - password.length, end })
  }
}

/** `Authorization: Bearer …` and similar, in a header, in JSON, in a command; the scheme stays. */
const CREDENTIALS =
  /(?:\b|(?<=\\[nrt]))((?:proxy-)?authorization|x-[a-z-]*(?:api-?key|auth|token|secret|signature)[a-z-]*|api-key|apikey|private-token|x-vault-token|ocp-apim-subscription-key)(\\*["'`]?[ \t]*(?:[:=]|=>|：|(?<=["'`])[ \t]*,(?=[ \t]*\\*["'`]))[ \t]*\\*["'`]?[ \t]*)((?:bearer|basic|token|digest|negotiate|apikey|api-key|key|aws4-hmac-sha256|sso-key|bot|oauth|hawk|ssws|splunk|geniekey|sharedkey|sharedaccesssignature|[a-z][\w-]{1,20}(?=[ \t]+[\w+/=.~:-]{16,}))[ \t]+)?([^\s"'`\\<>]+(?:[ \t]*[,;] ?[A-Za-z]+=[^\s"'`\\<>]+)*)/gi
const BEARER = /(?:\b|(?<=\\[nrt]))(?:bearer|basic)[ \t]+([A-Za-z0-9._~+/=-]{12,})/gi
/** Schemes of single services, also without the name of the header. */
const SCHEME =
  /(?<!\w)(?:ssws|geniekey|splunk|sso-key|klaviyo-api-key|apikey|api-key)[ \t]+((?=[\w:=-]*\d)(?:[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}|[\w:=-]{30,}))(?![\w-])/gi
/** `Digest username="…", …, response="…"`: the names stay. */
const DIGEST = /\bdigest[ \t]+\w+=[^\n]{0,400}?\bresponse=\\*"([0-9a-f]{32,})/gi
const REFERENCES =
  /^(?:\$|<|\{|%|\*|\[|`|\(|undefined|null|string|process\.|z\.|[a-z]+[A-Z]\w*\(|[a-z]+\.[a-z]+|REDACTED)/

function findCredentials(text: string, into: Range[]): void {
  for (const found of all(CREDENTIALS, text)) {
    const [whole, , , scheme, value = ''] = found
    const end = found.index + whole.length
    const isBare = scheme === undefined
    if (isPlain(value) || (REFERENCES.test(value) && !/\d/.test(value))) continue
    if (
      /^\$|^\*|^[<{[%]/.test(value) ||
      (isBare && (value.length < 8 || (/^[A-Za-z]+(?:-[a-z]+)*[,;)]*$/.test(value) && !isScrambled(value, 1))))
    )
      continue
    into.push({ start: end - value.length, end })
  }
  for (const found of [...all(DIGEST, text), ...all(SCHEME, text)]) {
    const end = found.index + found[0].length
    into.push({ start: end - (found[1]?.length ?? 0), end })
  }
  for (const found of all(BEARER, text)) {
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
/** A session cookie, also without a header: by its name and a value that looks random. */
const SESSION =
  /(?:sess(?:ion)?(?:[-_.]?id|data|[-_.]token)?|sid|cookies|cf_clearance|logged_in(?:_\w{1,40})?|li_at|aspxauth)=([\w%.+/-]{16,})(?![\w%])/gi
const ATTRIBUTES = /^(?:path|domain|expires|max-age|samesite|priority)$/i

function findCookies(text: string, into: Range[]): void {
  for (const found of all(COOKIES, text)) {
    const pairs = found[1] ?? ''
    const at = found.index + found[0].length - pairs.length
    for (const pair of all(COOKIE, pairs)) {
      const [whole, name = '', value = ''] = pair
      if (ATTRIBUTES.test(name) || /REDACTED|^[$*<{[%]/.test(value)) continue
      const end = at + pair.index + whole.length
      into.push({ start: end - value.length, end })
    }
  }
}

function findSessions(text: string, into: Range[]): void {
  for (const { index, 0: whole, 1: value = '' } of all(SESSION, text))
    if (isSession(value)) into.push({ start: index + whole.length - value.length, end: index + whole.length })
}

/** Letters and digits, and neither words nor an id that people show openly. */
const isSession = (value: string): boolean =>
  /\d/.test(value) &&
  /[A-Za-z]/.test(value) &&
  !isUuid(value) &&
  !/^(?:sess|s|w|t)_|^\d{4}-\d\d|^[a-z]+(?:[-_.][a-z]+)*[-_.]?\d{0,4}$/.test(value)

/** Secrets in requests: addresses with passwords, headers, cookies. */
export function findInRequests(text: string, into: Range[]): void {
  findUserInfo(text, into)
  if (text.includes('://')) findLinks(text, into)
  findBareUserInfo(text, into)
  findCredentials(text, into)
  findCookies(text, into)
  findSessions(text, into)
}
