import { type HasWord, holdsOf } from '../needles.ts'
import { all, type Range } from '../range.ts'
import { type Form, findForms, form, QUOTE, START } from './form.ts'
import { match } from './value-at.ts'
import { isPasswordLike } from './values.ts'

/** No word list of seed phrases has these; every sentence has one of them. */
const FUNCTION_WORDS =
  '(?:the|for|and|only|once|per|with|when|that|this|from|not|are|was|has|can|must|will|your|you|asked|shown|used|needed|stored|required)\\b'
/** Nor does a passphrase that a person made up, when it stands alone. */
const WORDS_OF_SENTENCES = `(?:${FUNCTION_WORDS}|(?:to|of|in|is|be|or|as|if|on|at|by|it|an?|no|enter|type|minimum|optional|default|empty|none|see|please|should|which|before|after|same|string|value|file|words?|characters?|protected|incorrect|wrong|prompt)\\b)`
const PHRASE_WORD = `(?!${WORDS_OF_SENTENCES})(?:[A-Za-z]{2,12}|\\d{1,6})`

const NAME_OF_CODE =
  '(?:(?:PIN|PUK\\d?|OTP|2FA|MFA|TOTP|[Vv]erification|[Oo]ne-time)(?: code| password)?|(?<=(?:[Uu]nlock|[Ss]ecurity|[Ll]ogin|[Ll]og-in|[Aa]ccess|[Cc]onfirmation|[Dd]oor|[Gg]ate|[Aa]larm|[Ss]afe|[Aa]uth|SMS|sms) )code|[Pp]asscode|(?<=(?:card|ATM|bank|SIM|phone|debit|my|the|your) )pin)'

/** Letters, digits and a sign: only a password has all of them. */
const isStrong = (value: string): boolean => /[!@#$%^&*?]/.test(value) && /\d/.test(value) && isPasswordLike(value)

/** Words, numbers and codes that only their name identifies as secrets. */
const FORMS: readonly Form[] = [
  form(
    'seed SEED phrase PHRASE Phrase nemonic NEMONIC 助记词',
    `(?:pass ?phrase|seed(?: phrase)?|recovery phrase|mnemonic|助记词)\\\\*["']?(?:[ \\t]+(?:for|of)[ \\t][^\\n.:;]{1,40}?)?[ \\t]*(?:[:=：]|is|[是为])[ \\t]*${QUOTE}((?:(?!${FUNCTION_WORDS})[a-z]{3,8}[ ,]+){3,23}(?!${FUNCTION_WORDS})[a-z]{3,8})\\b`,
    'gi',
  ),
  form(
    'phrase PHRASE Phrase',
    `pass[ _-]?phrase\\\\*["']?(?:[ \\t]+(?:for|of)[ \\t][^\\n.:;]{1,40}?)?[ \\t]*(?:[:=：]|is|was)[ \\t]*(?:\\\\*["'\`]((?:\\w+[ -]){2,11}\\w+)(?=\\\\*["'\`])|(${PHRASE_WORD}(?:[ -]${PHRASE_WORD}){2,9})(?=[ \\t]*(?:[.,;!)]|\\r?\\n|\\\\|$)))`,
    'gi',
  ),
  form(
    'assword asscode 密码',
    `(?:app(?:lication)?(?:[- ]specific)?[ -]pass(?:word|code)s?|应用(?:专用)?密码)[^\\n]{0,30}?[ \\t:=："'\`“]([a-z]{4}(?:([ -])[a-z]{4})(?:\\2[a-z]{4}){2})\\b`,
    'gi',
  ),
  form('assword', `assword[^\\n]{0,20}?[:=][ \\t]*${QUOTE}([a-z0-9]{4}(?: [a-z0-9]{4}){3})\\b`),
  form('授权码', `授权码[^\\n!-~]{0,6}["'\`]?([a-z]{16})\\b`),
  form(
    'PIN PUK OTP 2FA MFA erification ne-time code pin',
    `${START}${NAME_OF_CODE}\\b(?:[ \\t]+(?:for|of|on|to)[ \\t][^\\n.:;,?!\\d]{1,40}?)?(?:[ \\t:=]{1,4}|[ \\t]*[是为：][ \\t]*|[ \\t]+is:?[ \\t]+|[ \\t]+was[ \\t]+)(\\d{4,8}#?|\\d{3}[ -]\\d{3})(?![\\w.-])`,
  ),
  // A machine, its user, and the password
  form(
    'root admin Admin ubuntu centos user test deploy oracle postgres pi',
    `\\b\\d{1,3}(?:\\.\\d{1,3}){3}(?::\\d{1,5})?[ \\t,，/|]{1,3}(?:root|admin|administrator|ubuntu|centos|user|test|deploy|oracle|postgres|pi)(?:[ \\t]*[/:,，|][ \\t]*|[ \\t]+)([^\\s"'\\\\,，。/]{6,64})`,
    'gi',
    (value) => isPasswordLike(value),
  ),
  form('cvv cvc CVV CVC', `\\b(?:cvv|cvc)2?\\\\*["']?[ \\t:=]{1,4}(?:is )?${QUOTE}(\\d{3,4})\\b`, 'gi'),
  form('ode is', `\\b(?:the|your|my) code is:?[ \\t]+(\\d{6})\\b`, 'gi'),
  form(
    'code OTP PIN 2FA MFA',
    `\\b(?:enter|type|use)[ \\t]+(\\d{4,8})(?=[ \\t][^\\n.\\d]{0,40}\\b(?:code|OTP|PIN|2FA|MFA)\\b)`,
    'gi',
  ),
  form(
    'your',
    `(?<![\\w.-])(?:G-)?(\\d{4,8})(?=[ \\t]+(?:is|as)[ \\t]+your[ \\t]+(?:[\\w-]+[ \\t]+){0,4}?(?:code|OTP|PIN|password|passcode)\\b)`,
  ),
  form(
    'icen roduct ctivation ICEN 许可证 激活码',
    `(?:licen[sc]e|product|activation|许可证|激活码)(?:[ _-]?(?:key|code))?\\\\*["']?(?:[ \\t]*[:=：]|[ \\t]+is|[是为])?[ \\t]*${QUOTE}((?=[A-Z-]{0,40}\\d)[A-Z0-9]{4,8}(?:-[A-Z0-9]{4,8}){2,7})(?![\\w-])`,
    'gi',
    (value) => value === value.toUpperCase(),
  ),
  form(
    'ssid SSID',
    `ssid\\\\*["']?[ \\t]*[:=][^\\n]{1,60}?[,;\\n][ \\t]*(?:key|pass\\w{0,6}|pw)[ \\t]*[:=][ \\t]*${QUOTE}([^\\s"'\\\\]{6,64})`,
    'gi',
  ),
  form(
    'protected locked unlock crypt unzip log sign',
    `\\b(?:protected|locked|unlock|encrypted|decrypt|unzip|log ?in|sign ?in)\\b[^\\n.]{0,40}?\\b(?:with|using)[ \\t]+${QUOTE}([^\\s"'\\\\,;]{8,64})`,
    'gi',
    (value) =>
      /[!@#$%^&*?]/.test(value.replace(/[.!?]$/, (end) => (/\d!$/.test(value) ? end : ''))) && isPasswordLike(value),
  ),
  form(
    'assword ogin asscode',
    `\\b(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|try|tried|trying|us(?:e|ed|ing)|put)[ \\t]+${QUOTE}([^\\s"'\\\\,;]{8,64})(?=[^\\n.]{0,60}\\b(?:password|login|passcode))`,
    'gi',
    isStrong,
  ),
  form(
    'assword',
    `password[^\\n.]{0,60}?\\b(?:typ(?:e|ed|ing)|enter(?:ed|ing)?|try|tried|trying|us(?:e|ed|ing))[ \\t]+${QUOTE}([^\\s"'\\\\,;]{8,64})`,
    'gi',
    isStrong,
  ),
  // The words of a wallet: twelve or more, without function words
  form(
    'nemonic wallet Wallet seed Seed edger etamask etaMask words 助记',
    `(?:mnemonic|seed|wallet|ledger|metamask|\\b(?:12|24) words|助记)[^\\n]{0,60}?[^a-z]((?:(?!${FUNCTION_WORDS})[a-z]{3,8} ){11,23}(?!${FUNCTION_WORDS})[a-z]{3,8})\\b`,
    'gi',
  ),
  form('12. 12) 12:', `((?<![\\w.])1[.):][ \\t]*[a-z]{3,8}(?:(?:\\s|\\\\n)+\\d{1,2}[.):][ \\t]*[a-z]{3,8}){11,23})\\b`),
  // The seed of one-time passwords, in base32
  form(
    'TOTP totp OTP otp uthenticator 2FA 2fa MFA mfa oathtool',
    `(?:[th]?otp|2fa|mfa|authenticator)[^\\n]{0,60}?[^A-Za-z0-9]((?=[A-Z]{0,40}[2-7])[A-Z2-7]{16,128}|(?=[A-Za-z ]{0,40}[2-7])[A-Za-z2-7]{4}(?: [A-Za-z2-7]{4}){3,15})(?![A-Za-z0-9])`,
    'gi',
    (value) => /^[A-Z2-7]+$/.test(value) || (/^[A-Z2-7 ]+$|^[a-z2-7 ]+$/.test(value) && / /.test(value)),
  ),
]

const NAMES_OF_LISTS = ['code', 'CODE', 'Code', '码']

/** Text that announces a list of codes. */
const LIST =
  /(?:(?:recovery|backup|scratch|emergency|rescue)[ _-](?:(?:verification|login|access)[ _-])?codes?|恢复代?码|备用(?:验证|恢复)?代?码|备份码)\\*["']?(?:[ \t]+(?:is|are|for[ \t]+[^\n:]{1,40}))?/gi
const BETWEEN = /(?:[\s,;:：、，"'`*•>|+=[\]-]|\\+[nrt"]|\d{1,2}[.)][ \t]){0,40}/y
const CODE =
  /(?:\d{4}[ -]\d{4}|(?=[A-Za-z-]{0,40}\d)[A-Za-z0-9]{4,8}(?:-[A-Za-z0-9]{4,8}){1,7}|\d{6,12}|(?=[A-Za-z]{0,15}\d)(?=\d{0,15}[A-Za-z])[A-Za-z0-9]{8,16})(?![\w-])/y
const MOST_CODES = 40

function findLists(text: string, into: Range[]): void {
  for (const { index, 0: heading } of all(LIST, text)) {
    let at = index + heading.length
    for (let i = 0; i < MOST_CODES; i++) {
      const start = at + (match(BETWEEN, text, at)?.[0].length ?? 0)
      const code = start > at ? match(CODE, text, start) : null
      if (code === null) break
      at = start + code[0].length
      into.push({ start, end: at })
    }
  }
}

export function findCodes(text: string, into: Range[], holds: HasWord = holdsOf(text)): void {
  findForms(text, FORMS, into, holds)
  if (NAMES_OF_LISTS.some(holds)) findLists(text, into)
}
