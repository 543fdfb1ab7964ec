/**
 * How much the name of a value says about it.
 * `sure`: a secret whatever it looks like (a password). `likely`: a secret unless it looks like code or a plain word (a
 * token). `maybe`: a secret only if it looks like one (a key).
 */
export type Strength = 'sure' | 'likely' | 'maybe'

/** The pieces of a name that make it worth a look. */
export const HINTS =
  /pass(?:phrase|code|word|wd)?s?|pswd|pword|pwd|mnemonic|credential|authorization|auth|secret|token|cookie|bearer|key|jwt|dsn|sig|sas|pat|otp|sessid|salt|webhook|密码|口令|密钥|令牌|パスワード|비밀번호|пароль|contraseñ?n?a|kennwort|passwort|senha|mot de passe/gi

const SURE = new Set(
  'password passwords passwd pwd pswd pword pass passphrase passcode mnemonic secret 密码 口令 パスワード 비밀번호 пароль contraseña contrasena kennwort passwort senha passe'.split(
    ' ',
  ),
)
const LIKELY = new Set(
  'token tokens apikey credential credentials authorization bearer jwt auth cookie pat otp phpsessid jsessionid 密钥 令牌'.split(
    ' ',
  ),
)
const MAYBE = new Set('key keys dsn sas sig signature webhook salt secrets'.split(' '))
const JOINED_SURE = /(?:password|passwd|passphrase|secret)$|^(?:pg|db|my|mysql|user|redis|smtp|ssh)(?:pass|pwd)$/
const JOINED_LIKELY = /(?:token|(?:api|secret|private|access|auth|account)key)$/

/** Before `key`: one that opens something. */
const OPENING = new Set(
  `api access private secret signing encryption encrypt auth account shared master service license deploy webhook app
  application client consumer session storage subscription admin write bot jwt hmac aes ssh integration server bearer project
  ingest personal live prod production stripe openai anthropic aws azure gcp github sendgrid twilio datadog mailgun
  algolia groq mistral gemini cohere sentry`.split(/\s+/),
)
/** Before `key` or `token`: one that everybody may see, or that is no key at all. */
const HARMLESS = new Set(
  `public primary foreign sort partition cache unique idempotency publishable verification object map dict group index
  translation message locale row column hash range lookup query item list routing arrow next prev page continuation stop eos
  bos pad unk mask sep cls max min total input output progress cancel cancellation sync`.split(/\s+/),
)
/** Words behind which a secret's name goes on: `API_KEY_PROD`, `TOKEN_2`. */
const TRAILING =
  /^(?:\d+|v\d|prod|production|dev|development|stage|staging|test|testing|live|sandbox|old|new|current|previous|primary|secondary|backup|local|value|string|b64|base64|hex|plain|plaintext|raw|encoded|base|write|read|main|default)$/

/** The folder a shell is in goes by the name of a password. */
const FOLDER = /^(?:OLD)?PWD$/

/** What the name says about its value; undefined when it says nothing. */
export function strengthOf(name: string): Strength | undefined {
  if (FOLDER.test(name)) return 'maybe'
  const words = wordsOf(name)
  while (words.length > 1 && TRAILING.test(words.at(-1) ?? '')) words.pop()
  const [last = '', before = ''] = words.reverse()
  if (HARMLESS.has(before)) return undefined
  if (SURE.has(last) || JOINED_SURE.test(last)) return 'sure'
  if (LIKELY.has(last) || JOINED_LIKELY.test(last)) return 'likely'
  if (last === 'key' || last === 'keys') return OPENING.has(before) ? 'likely' : 'maybe'
  return MAYBE.has(last) || last.endsWith('key') ? 'maybe' : undefined
}

/** `stripeSecretKey`, `STRIPE_SECRET_KEY` and `stripe-secret-key` as stripe, secret, key. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, a: string, b: string) => `${a} ${b}`)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
