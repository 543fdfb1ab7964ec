/**
 * What the name of a value implies. `sure`: a secret whatever it looks like (a password). `likely`: a secret unless it
 * looks like code or a plain word (a token). `maybe`: a secret only if it looks like one (a key).
 */
export type Strength = 'sure' | 'likely' | 'maybe'

/** Parts of names that may be those of secrets. */
export const HINTS =
  /p\/w(?![a-z])|pass(?:phrase|code|word|wd)?s?|pswd|psswd|passwrd|passw0rd|pasword|pwrd|pword|pwd|mnemonic|credential|authorization|auth|secret|token|cookie|bearer|key|jwt|dsn|sig|sas|pat|otp|sessid|session|sid|psk|seed|authtok|pw(?![a-z])|salt|webhook|密码|口令|密碼|密钥|密鑰|私钥|令牌|授权码|验证码|提取码|通行码|访问码|解压码|解锁码|激活码|动态码|PIN ?码|パスワード|비밀번호|비번|пароль|contraseñ?n?a|kennwort|passwort|senha|mot de passe|wachtwoord|has[łl]o|lösenord|adgangskode|salasana|şifre|parol[ao]|暗証番号|암호/gi

const SURE = new Set(
  'password passwords passwd psswd passwrd pasword pwrd passkey pwd pswd pword pass passphrase passcode secret psk pw 密码 口令 密碼 授权码 验证码 提取码 通行码 访问码 解压码 解锁码 激活码 动态码 码 パスワード 비밀번호 비번 пароль contraseña contrasena kennwort passwort senha passe wachtwoord hasło haslo lösenord adgangskode salasana şifre parola 暗証番号 암호'.split(
    ' ',
  ),
)
const LIKELY = new Set(
  'token tokens apikey credential credentials authorization bearer jwt auth authtok cookie otp phpsessid jsessionid 密钥 密鑰 私钥 令牌'.split(
    ' ',
  ),
)
const MAYBE = new Set('key keys pat seed dsn sas sig signature webhook salt secrets sid session sessionid'.split(' '))
const JOINED_SURE =
  /(?:password|passwd|passphrase|secret)$|^(?:pg|db|my|mysql|user|redis|smtp|ssh|store|key|admin|root|bind|become|require|vnc|master|ldap)(?:pass|pwd|pw)$/
const PUBLIC = /(?:pub|public|site)key$/
const JOINED_LIKELY = /(?:token|(?:api|secret|private|access|auth|account)key|xauth)$/

/** Words before `key` that make it one that grants access. */
const OPENING = new Set(
  `api access private secret signing encryption encrypt auth account shared master service license deploy webhook app
  application client consumer session storage subscription admin write bot jwt hmac aes ssh integration server bearer project
  ingest personal live prod production stripe openai anthropic aws azure gcp github sendgrid twilio datadog mailgun
  algolia groq mistral gemini cohere sentry instrumentation telemetry merchant device function slack discord telegram paypal
  deepl deepseek dashscope moonshot zhipu pinecone qdrant supabase firebase vercel netlify cloudflare digitalocean linode
  vultr hetzner heroku databricks langchain langsmith wandb replicate together fireworks perplexity openrouter xai
  elevenlabs deepgram mapbox opsgenie pagerduty newrelic rollbar bugsnag launchdarkly posthog hubspot zendesk intercom
  notion airtable linear figma gitlab bitbucket npm nuget pypi docker sonar snyk okta clerk`.split(/\s+/),
)
/** Words before `key` or `token` that make it public, or not a key at all. */
const HARMLESS = new Set(
  `public primary foreign sort partition cache unique idempotency publishable verification object map dict group index
  translation message locale row column hash range lookup query item list arrow next prev page continuation stop eos
  bos pad unk mask sep cls max min total input output progress cancel cancellation sync color`.split(/\s+/),
)
/** The same, before `key` only. */
const PUBLIC_BEFORE = new Set(
  'pub recv search default gpg pgp socket site cert peer host verify rsa dsa ecdsa eddsa ed25519'.split(' '),
)
/** Before `key`: the key of a wireless network, which people choose themselves. */
const NETWORK = /^(?:wi-?fi|fi|wlan|wpa|wep|shared|preshared)$/
/** Derived from a password: still a secret, if it looks like one. */
const HASHED = new Set('hash hashed digest md5 sha sha1 sha256 sha512 bcrypt enc encrypted salt'.split(' '))
/** Words that may follow in the name of a secret: `API_KEY_PROD`, `TOKEN_2`. */
const TRAILING =
  /^(?:\d+|v\d|prod|production|dev|development|stage|staging|test|testing|live|sandbox|old|new|current|previous|primary|secondary|backup|local|value|string|b64|base64|hex|plain|plaintext|raw|encoded|base|write|read|main|default|binary)$/

/** Suffixes of a field for a secret: `passwordTextField.text`. */
const CONTENT = /^(?:text|value)$/
const FIELD = /^(?:field|input|box|textbox|text|edit|entry|view|control)$/

/** A name in another script, with Latin letters beside it: `API密钥`. */
const FOREIGN = /[\u3040-\u30ff\u4e00-\u9fff\uac00-\ud7af]{2,}$|(?<=PIN ?)码$/

/** Whether the name is in a script without spaces between words. */
export const isForeign = (name: string): boolean => FOREIGN.test(name)

/** The variables for a shell's working directory, which are named like a password. */
const FOLDER = /^(?:OLD)?PWD$/

/** A cache: a text repeats the same names. */
const judged = new Map<string, Strength | undefined>()
const MOST_JUDGED = 2000

/** What the name implies about its value; undefined when nothing. */
export function strengthOf(name: string): Strength | undefined {
  if (judged.has(name)) return judged.get(name)
  const strength = judge(name)
  if (judged.size >= MOST_JUDGED) judged.clear()
  judged.set(name, strength)
  return strength
}

function judge(name: string): Strength | undefined {
  if (FOLDER.test(name)) return 'likely'
  if (/^p\/w$/i.test(name)) return 'sure'
  const words = wordsOf(FOREIGN.exec(name)?.[0] ?? name)
  if (words.length > 2 && CONTENT.test(words.at(-1) ?? '')) {
    words.pop()
    while (words.length > 1 && FIELD.test(words.at(-1) ?? '')) words.pop()
  }
  while (words.length > 1 && TRAILING.test(words.at(-1) ?? '')) words.pop()
  const [last = '', before = ''] = words.reverse()
  if (before === 'pass' && (last === 'phrase' || last === 'word')) return 'sure'
  if (before === 'key' && last === 'material') return 'sure'
  if (HASHED.has(last) && (SURE.has(before) || JOINED_SURE.test(before))) return 'maybe'
  if (/(?:pass(?:word|wd)?|pwd)hash$|salt$/.test(last)) return 'maybe'
  if (HARMLESS.has(before) || PUBLIC.test(last)) return undefined
  if (SURE.has(last) || JOINED_SURE.test(last)) return 'sure'
  if (LIKELY.has(last) || JOINED_LIKELY.test(last)) return 'likely'
  if ((last === 'key' || last === 'keys') && PUBLIC_BEFORE.has(before)) return undefined
  if (last === 'key' && NETWORK.test(before)) return 'sure'
  if (last === 'key' || last === 'keys') return OPENING.has(before) ? 'likely' : 'maybe'
  return MAYBE.has(last) || last.endsWith('key') ? 'maybe' : undefined
}

/** `stripeSecretKey`, `STRIPE_SECRET_KEY` and `stripe-secret-key` as stripe, secret, key. */
const wordsOf = (name: string): string[] =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, (_, a: string, b: string) => `${a} ${b}`)
    .toLowerCase()
    .replace('passw0rd', () => 'password')
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean)
    .map((word) => (/^[a-z]{3,}\d+$/.test(word) ? word.replace(/\d+$/, () => '') : word))
