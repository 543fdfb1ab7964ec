import type { Draw } from '../secrets.ts'

/** A made-up value for a form of the corpus. Values are put together when the tests run: no scanner finds one in the sources. */
export interface Made {
  readonly text: string
  /** The pieces of it that give it away, if not the whole. */
  readonly parts?: readonly string[]
}

type Make = (draw: Draw, argument: string) => string | Made

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const ALNUM = UPPER + LOWER + DIGITS
const B64 = `${ALNUM}+/`
const URL64 = `${ALNUM}-_`
const CRYPT = `${ALNUM}./`
const B58 = '123456789ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz'

const of =
  (alphabet: string): Make =>
  (draw, length) =>
    draw(alphabet, Number(length))
const oneOf = (draw: Draw, list: readonly string[]): string => list[Number(draw(DIGITS, 4)) % list.length] ?? ''
const base64 = (text: string): string => Buffer.from(text).toString('base64')
const uuid = (draw: Draw): string => [8, 4, 4, 4, 12].map((length) => draw(HEX, length)).join('-')

const PLAIN_WORDS = 'swordfish marmalade zanzibar tangerine buttercup firefly nightowl hedgehog'.split(' ')
const SEED_WORDS =
  'abandon ability canal dinner elbow fabric gadget habit idle jungle kitchen lemon magnet napkin oxygen puzzle'.split(
    ' ',
  )

const shortPassword = (draw: Draw): string => `${draw(ALNUM, 10)}_${draw(DIGITS, 2)}`
const password = (draw: Draw): string =>
  oneOf(draw, [
    `${draw(LOWER, 5)}!${draw(DIGITS, 3)}${draw(UPPER, 2)}`,
    `${draw(UPPER, 1)}${draw(LOWER, 5)}${draw('2345', 4)}!`,
    `${draw(ALNUM, 7)}.${draw(ALNUM, 4)}7x`,
    `${draw(LOWER, 4)}-${draw(UPPER, 1)}${draw(LOWER, 4)}${draw(DIGITS, 2)}`,
    `${draw(ALNUM, 5)}*${draw(DIGITS, 2)}+${draw(LOWER, 4)}`,
  ])
const wordWithDigits: Make = (draw) => `${oneOf(draw, PLAIN_WORDS)}${draw('23456789', 3)}`

// Payment cards

const CARDS: Readonly<Record<string, readonly [prefixes: string, length: number]>> = {
  visa: ['4539 4716 4024 4929', 16],
  mc: ['51 52 53 54 55 2221 2720', 16],
  amex: ['34 37', 15],
  disc: ['6011 65', 16],
  jcb: ['3528 3589', 16],
  diners: ['36 38', 14],
  unionpay: ['62', 16],
}

function checkDigit(digits: string): string {
  let sum = 0
  for (const [i, digit] of digits.split('').reverse().entries()) {
    const twice = i % 2 === 0 ? Number(digit) * 2 : Number(digit)
    sum += twice > 9 ? twice - 9 : twice
  }
  return String((10 - (sum % 10)) % 10)
}

function card(draw: Draw, brand: string): string {
  const [prefixes, length] = CARDS[brand] ?? ['4', 16]
  const prefix = oneOf(draw, prefixes.split(' '))
  const digits = prefix + draw(DIGITS, length - prefix.length - 1)
  return digits + checkDigit(digits)
}

const groups = (digits: string, by: string): string =>
  (digits.length === 15 ? digits.match(/^(.{4})(.{6})(.{5})$/)?.slice(1) : digits.match(/.{1,4}/g))?.join(by) ?? digits
const spoilt = (digits: string): string => digits.slice(0, -1) + String((Number(digits.at(-1)) + 1) % 10)
function imei(draw: Draw): string {
  const digits = `35${draw(DIGITS, 12)}`
  return digits + checkDigit(digits)
}

// Keys and certificates

const dashes = '-'.repeat(5)
const KEY = 'KEY'
const BEGINNINGS: Readonly<Record<string, string>> = {
  [`PRIVATE ${KEY}`]: 'MIIEvgIBADANBgkqhkiG9w0BAQEFAASC',
  [`RSA PRIVATE ${KEY}`]: 'MIIEpAIBAAKCAQEA',
  [`EC PRIVATE ${KEY}`]: 'MHcCAQEEI',
  [`OPENSSH PRIVATE ${KEY}`]: 'b3BlbnNzaC1rZXktdjEAAAAABG5vbmUAAAAEbm9uZQAAAAAAAAAB',
  CERTIFICATE: 'MIIDdzCCAl+gAwIBAgIE',
  'CERTIFICATE REQUEST': 'MIICijCCAXICAQAwRTELMAkG',
  [`PUBLIC ${KEY}`]: 'MIIBIjANBgkqhkiG9w0BAQEFAAOCAQ8AMIIBCgKCAQEA',
  [`RSA PUBLIC ${KEY}`]: 'MIIBCgKCAQEA',
}

const bodyOf = (draw: Draw, label: string, lines = 10): string[] => {
  const beginning = BEGINNINGS[label] ?? 'lQOYBG'
  const first = beginning + draw(B64, 64 - beginning.length)
  return [first, ...Array.from({ length: lines }, () => draw(B64, 64)), `${draw(B64, 30)}==`]
}
const wrapped = (label: string, body: readonly string[]): string[] => [
  `${dashes}BEGIN ${label}${dashes}`,
  ...body,
  `${dashes}END ${label}${dashes}`,
]

const pem =
  (join: string, sure?: string): Make =>
  (draw, label) => {
    const body = bodyOf(draw, sure ?? label)
    return { text: wrapped(sure ?? label, body).join(join), parts: body }
  }
const cutOff =
  (from: number, to?: number): Make =>
  (draw) => {
    const label = `RSA PRIVATE ${KEY}`
    const body = bodyOf(draw, label)
    const lines = wrapped(label, body).slice(from, to)
    return { text: lines.join('\n'), parts: body.filter((line) => lines.includes(line)) }
  }
const pemText = (draw: Draw, label = `RSA PRIVATE ${KEY}`): string =>
  `${wrapped(label, bodyOf(draw, label)).join('\n')}\n`
const inLines = (text: string, length: number): Made => {
  const parts = text.match(new RegExp(`.{1,${length}}`, 'g')) ?? []
  return { text: parts.join('\n'), parts }
}
const block = (label: string, draw: Draw): Made => {
  const body = Array.from({ length: 8 }, () => draw(B64, 64))
  const lines = [
    `${dashes}BEGIN PGP ${label}${dashes}`,
    '',
    ...body,
    `=${draw(B64, 4)}`,
    `${dashes}END PGP ${label}${dashes}`,
  ]
  return { text: lines.join('\n'), parts: body }
}
const encrypted: Make = (draw) => {
  const label = `RSA PRIVATE ${KEY}`
  const body = bodyOf(draw, '')
  const head = ['Proc-Type: 4,ENCRYPTED', `DEK-Info: AES-256-CBC,${draw(`${DIGITS}ABCDEF`, 32)}`, '']
  return { text: wrapped(label, [...head, ...body]).join('\n'), parts: body }
}

// Tokens of services

const TOKENS: Readonly<Record<string, (draw: Draw) => string>> = {
  ghp: (d) => `gh${'p'}_${d(ALNUM, 36)}`,
  gho: (d) => `gh${'o'}_${d(ALNUM, 36)}`,
  ghs: (d) => `gh${'s'}_${d(ALNUM, 36)}`,
  ghr: (d) => `gh${'r'}_${d(ALNUM, 76)}`,
  ghpat: (d) => `github${'_pat_'}${d(ALNUM, 22)}_${d(ALNUM, 59)}`,
  glpat: (d) => `gl${'pat'}-${d(URL64, 20)}`,
  glrt: (d) => `gl${'rt'}-${d(URL64, 20)}`,
  gldt: (d) => `gl${'dt'}-${d(URL64, 20)}`,
  npm: (d) => `np${'m'}_${d(ALNUM, 36)}`,
  pypi: (d) => `py${'pi'}-AgEIcHlwaS5vcmc${d(URL64, 120)}`,
  xoxb: (d) => `xox${'b'}-${d(DIGITS, 12)}-${d(DIGITS, 12)}-${d(ALNUM, 24)}`,
  xoxe: (d) => `xox${'e'}.xox${'p'}-1-${d(ALNUM, 120)}`,
  xapp: (d) => `xap${'p'}-1-A${d(UPPER, 10)}-${d(DIGITS, 13)}-${d(HEX, 64)}`,
  skLive: (d) => `sk${'_live_'}${d(ALNUM, 24)}`,
  skTest: (d) => `sk${'_test_'}${d(ALNUM, 99)}`,
  whsec: (d) => `wh${'sec'}_${d(ALNUM, 32)}`,
  skProj: (d) => `sk${'-proj-'}${d(URL64, 74)}T3Blbk${'FJ'}${d(URL64, 74)}`,
  skOld: (d) => `sk${'-'}${d(ALNUM, 20)}T3Blbk${'FJ'}${d(ALNUM, 20)}`,
  skAnt: (d) => `sk${'-ant-'}api03-${d(URL64, 93)}AA`,
  sk32: (d) => `sk${'-'}${d(HEX, 32)}`,
  skOr: (d) => `sk${'-or-'}v1-${d(HEX, 64)}`,
  hf: (d) => `h${'f'}_${d(UPPER + LOWER, 34)}`,
  r8: (d) => `r${'8'}_${d(ALNUM, 37)}`,
  gsk: (d) => `gs${'k'}_${d(ALNUM, 52)}`,
  xai: (d) => `xa${'i'}-${d(ALNUM, 80)}`,
  pplx: (d) => `ppl${'x'}-${d(ALNUM, 48)}`,
  fw: (d) => `f${'w'}_${d(ALNUM, 24)}`,
  pcsk: (d) => `pc${'sk'}_${d(ALNUM, 6)}_${d(ALNUM, 63)}`,
  eleven: (d) => `sk${'_'}${d(HEX, 48)}`,
  lsv2: (d) => `lsv2${'_pt_'}${d(HEX, 32)}_${d(HEX, 10)}`,
  telegram: (d) => `${d('123456789', 10)}:AA${d(URL64, 33)}`,
  discord: (d) => `M${d(ALNUM, 23)}.${d(URL64, 6)}.${d(URL64, 38)}`,
  sendgrid: (d) => `S${'G'}.${d(URL64, 22)}.${d(URL64, 43)}`,
  mailgun: (d) => `key${'-'}${d(HEX, 32)}`,
  mailchimp: (d) => `${d(HEX, 32)}-us12`,
  resend: (d) => `r${'e'}_${d(ALNUM, 8)}_${d(ALNUM, 24)}`,
  dop: (d) => `dop${'_v1_'}${d(HEX, 64)}`,
}

const pair = (user: string, draw: Draw): string => base64(`${user}:${draw(ALNUM, 12)}`)
const jwt = (draw: Draw): string =>
  `${base64('{"alg":"HS256","typ":"JWT"}').replace(/=+$/, () => '')}.eyJzdWIiOi${draw(URL64, 60)}.${draw(URL64, 43)}`
const bcrypt = (draw: Draw, kind: string): string => `$2${kind}$12$${draw(CRYPT, 53)}`
const argon2 = (draw: Draw): string => `$argon2id$v=19$m=65536,t=3,p=4$${draw(B64, 22)}$${draw(B64, 43)}`
const crypt = (id: string, salt: number, length: number) => (draw: Draw) =>
  `$${id}$${draw(CRYPT, salt)}$${draw(CRYPT, length)}`

/** What the names between the marks of a form stand for. */
export const VALUES: Readonly<Record<string, Make>> = {
  hex: of(HEX),
  HEX: of(HEX.toUpperCase()),
  alnum: of(ALNUM),
  lower: of(LOWER + DIGITS),
  upper: of(UPPER + DIGITS),
  UPPER: of(UPPER + DIGITS),
  digits: (draw, length) => draw('123456789', 1) + draw(DIGITS, Number(length) - 1),
  b64: of(B64),
  url64: of(URL64),
  b58: of(B58),
  ulid: of('0123456789ABCDEFGHJKMNPQRSTVWXYZ'),
  nix: of('0123456789abcdfghijklmnpqrsvwxyz'),
  b64pct: (draw, length) => encodeURIComponent(`${draw(B64, Number(length))}=`),
  bytes: (draw, count) => Array.from({ length: Number(count) }, () => Number.parseInt(draw(HEX, 2), 16)).join(','),
  words: (draw, count) => Array.from({ length: Number(count) }, () => oneOf(draw, SEED_WORDS)).join(' '),
  uuid,
  UUID: (draw) => uuid(draw).toUpperCase(),
  pw: password,
  pw2: shortPassword,
  pwWord: wordWithDigits,
  pwPlain: (draw) => oneOf(draw, PLAIN_WORDS),
  pwUrl: (draw) => `${draw(LOWER, 4)}%40${draw(DIGITS, 3)}%23${draw(UPPER, 3)}`,
  wpSalt: (draw) => draw(`${ALNUM}!@#$%^&*()-_[]{}~+=,.;:?| `, 62).replaceAll(' ', '7'),
  b64of: (draw, kind) => base64(kind === 'pw' ? password(draw) : shortPassword(draw)),
  akid: (draw) => `AKI${'A'}${draw(UPPER + DIGITS, 16)}`,
  aws: (draw) => draw(B64, 40),
  awsUrl: (draw) => draw(ALNUM, 40),
  awsSession: (draw) => `IQoJb3JpZ2luX2Vj${draw(B64, 300)}==`,
  sesSmtp: (draw) => `B${draw(B64, 43)}`,
  azure: (draw) => `${draw(B64, 86)}==`,
  azure32: (draw) => `${draw(B64, 43)}=`,
  azureClient: (draw) => `${draw(ALNUM, 3)}8Q~${draw(`${URL64}.~`, 33)}a`,
  azureFn: (draw) => `${draw(URL64, 44)}AzFu${draw(ALNUM, 6)}==`,
  acr: (draw) => `${draw(B64, 42)}+ACR${draw(ALNUM, 6)}`,
  azSearch: (draw) => `${draw(ALNUM, 42)}AzSe${draw(ALNUM, 6)}`,
  sas: (draw) => encodeURIComponent(`${draw(B64, 43)}=`),
  gkey: (draw) => `AIz${'a'}${draw(URL64, 35)}`,
  gocspx: (draw) => `GOC${'SPX'}-${draw(URL64, 28)}`,
  gcpB64: (draw) =>
    base64(JSON.stringify({ type: 'service_account', project_id: 'p1', private_key: pemText(draw, `PRIVATE ${KEY}`) })),
  card,
  cardSp: (draw, brand) => groups(card(draw, brand), ' '),
  cardDash: (draw, brand) => groups(card(draw, brand), '-'),
  cardNbsp: (draw, brand) => groups(card(draw, brand), '\u00a0'),
  cardBad: (draw, brand) => spoilt(card(draw, brand)),
  cardBadSp: (draw, brand) => groups(spoilt(card(draw, brand)), ' '),
  imei,
  bcrypt: (draw) => bcrypt(draw, 'b'),
  bcryptY: (draw) => bcrypt(draw, 'y'),
  bcryptEsc: (draw) => bcrypt(draw, 'y').replaceAll('$', () => '$$'),
  argon2,
  scryptMcf: (draw) => `$7$C6..../....${draw(CRYPT, 43)}$${draw(CRYPT, 43)}`,
  scryptPasslib: (draw) => `$scrypt$ln=16,r=8,p=1$${draw(B64, 22)}$${draw(B64, 43)}`,
  scryptWz: (draw) => `scrypt:32768:8:1$${draw(ALNUM, 16)}$${draw(HEX, 128)}`,
  pbkdf2Django: (draw) => `pbkdf2_sha256$600000$${draw(ALNUM, 22)}$${draw(B64, 43)}=`,
  pbkdf2Wz: (draw) => `pbkdf2:sha256:600000$${draw(ALNUM, 16)}$${draw(HEX, 64)}`,
  pbkdf2Passlib: (draw) => `$pbkdf2-sha512$25000$${draw(CRYPT, 22)}$${draw(CRYPT, 86)}`,
  sha512crypt: crypt('6', 16, 86),
  sha512rounds: (draw) => `$6$rounds=656000$${draw(CRYPT, 16)}$${draw(CRYPT, 86)}`,
  sha256crypt: crypt('5', 16, 43),
  md5crypt: crypt('1', 8, 22),
  apr1: crypt('apr1', 8, 22),
  yescrypt: (draw) => `$y$j9T$${draw(CRYPT, 22)}$${draw(CRYPT, 43)}`,
  phpass: (draw) => `$P$B${draw(CRYPT, 30)}`,
  drupal: (draw) => `$S$E${draw(CRYPT, 51)}`,
  pem: pem('\n'),
  pemEsc: pem('\\n'),
  pemEsc2: pem('\\\\n'),
  pemCrLf: pem('\r\n'),
  pemSpace: pem(' '),
  pemIndent2: pem('\n  '),
  pemIndent4: pem('\n    '),
  pemIndent6: pem('\n      '),
  pemJava: pem('\\n" +\n    "'),
  pemPy: pem('\\n"\n    "'),
  pemDiff: (draw, label) => {
    const body = bodyOf(draw, label)
    return {
      text: wrapped(label, body)
        .map((line) => `+${line}`)
        .join('\n'),
      parts: body,
    }
  },
  pemEncrypted: encrypted,
  pemHead: cutOff(0, 8),
  pemTail: cutOff(-8),
  pemB64: (draw) => base64(pemText(draw)),
  pemB64Wrap: (draw) => inLines(base64(pemText(draw)), 76),
  der: (draw) => `MIIEvgIBADANBgkqhkiG9w0BAQEFAASC${draw(B64, 1592)}`,
  pgp: (draw) => block(`PRIVATE ${KEY} BLOCK`, draw),
  pgpPub: (draw) => block(`PUBLIC ${KEY} BLOCK`, draw),
  pgpSig: (draw) => block('SIGNATURE', draw),
  cert: pem('\n', 'CERTIFICATE'),
  certEsc: pem('\\n', 'CERTIFICATE'),
  certIndent2: pem('\n  ', 'CERTIFICATE'),
  certB64: (draw) => base64(pemText(draw, 'CERTIFICATE')),
  csr: pem('\n', 'CERTIFICATE REQUEST'),
  pub: pem('\n', `PUBLIC ${KEY}`),
  pubEsc: pem('\\n', `PUBLIC ${KEY}`),
  pubRsa: pem('\n', `RSA PUBLIC ${KEY}`),
  wg: (draw) => `${draw(B64, 42)}${draw('AEIMQUYcgkosw048', 1)}=`,
  wif: (draw) => `${draw('KL', 1)}${draw(B58, 51)}`,
  tok: (draw, kind) => TOKENS[kind]?.(draw) ?? '',
  basic: (draw) => pair('ann', draw),
  jwt,
  cfTunnel: (draw) => base64(JSON.stringify({ a: draw(HEX, 32), t: uuid(draw), s: draw(B64, 44) })),
  twilioSid: (draw) => `AC${draw(HEX, 32)}`,
  slackHook: (draw) => `T${draw(UPPER + DIGITS, 8)}/B${draw(UPPER + DIGITS, 8)}/${draw(ALNUM, 24)}`,
}
