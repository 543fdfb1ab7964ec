import type { Strength } from './names.ts'

/** The notation of a value. It distinguishes a literal from code. */
export type ValueForm = 'quoted' | 'listed' | 'env' | 'flag' | 'query' | 'field' | 'code'

/** Text in the place of a secret: a reference, a mask, something to be filled in. */
const PLACEHOLDER =
  /^(?:\*+|[xX]{3,}|\.{3,}|…+|•+|-+|_+|#+)$|REDACTED|^\$\{?\{?|^\$\(|^%[A-Za-z_]+%$|^\{\{|^<[^>]*>?$|^\[[^\]]*\]?$|^\{[^}]*\}?$|^@[\w.]+$|^(?:your|my|the|a|an|some|example|placeholder|insert|enter|replace|change|todo|tbd|fixme)[-_ ]?(?:own|real|actual|secret|api|access|auth|personal|private|db|new|strong|super)?[-_ ]?(?:token|key|secret|password|pass|api|it|me|here|this|value|with)?(?:[-_ ](?:here|key|token|secret|value|goes|id))*$/i

/** Words of languages, types and settings: never a secret by themselves. */
const PLAIN = new Set(
  `true false null nil none undefined nan void any unknown never string number boolean bool object symbol bigint str int float
  bytes text varchar char uuid self this super new await async return yes no on off required optional enabled disabled default
  auto inherit basic bearer digest jwt oauth oauth2 token tokens key keys secret secrets password passwords passwd pwd pass
  user username name value id type hidden visible input email env file files path url uri stdin prompt plain
  invalid missing empty expired valid wrong unset not set is was has the a an and or if for in of to from with as by via
  changed reset forgotten incorrect rotated read write admin-only readonly function const let var import export
  asc desc primary unique index example test foo bar baz passed failed fail ok error success pending skip skipped mytoken yourtoken here`.split(
    /\s+/,
  ),
)

/** Whether it is a placeholder, or a word of a language. */
export const isPlain = (value: string): boolean =>
  value === '' ||
  PLACEHOLDER.test(value) ||
  (STANDS_FOR.test(value) && !isFullOfSigns(value)) ||
  PLAIN.has(value.toLowerCase().replace(/[.,;:!?)\]}>]+$/, () => '')) ||
  isLabel(value)

/** A placeholder for the password in an address or a command: its name, or something similar. */
export const isStandIn = (value: string): boolean =>
  PLACEHOLDER.test(value) || STANDS_FOR.test(value) || /^(?:pass|passwd|pwd|password)$/i.test(value)

/** The format of a secret without content: `sk_live_XXXXXXXX`, `ghp_your_token_here`. */
export function isMask(value: string): boolean {
  if (value.length > 200) return false
  const rest = value.replaceAll(/([xX*0])\1{2,}/g, () => '')
  if (rest.length <= 14 && value.length - rest.length >= 8) return true
  return /(?:^|[-_/ ])your(?:[-_/ ]|$)/i.test(value) && /^[A-Za-z_/ -]+$/.test(value)
}

/** An ellipsis, a YAML tag, a colour, a value that is looked up elsewhere. */
const STANDS_FOR =
  /^[\w-]{0,12}(?:\.{3,}|…|\*{3,}|x{4,})[\w-]{0,8}$|^!(?:[A-Z][A-Za-z]+)$|^\*[\w-]+$|^Ag[A-Za-z0-9+/]{200,}|^(.)\1{5,}$|^(?:your|change|replace|todo|insert|enter|set|put|add|example|dummy|fake|sample|placeholder|some)(?:[-_ ]+(?:[a-z]+|\d{1,3}))+$|^!(?:vault|Ref|Sub|GetAtt|ImportValue|secret|reference|env)\b|^#(?:[0-9a-f]{3,4}){1,2}$|^(?:op|vault|ssm|sops|awssm|gcpsm|azurekv|keychain|keyring|env|file|secret):|^ENC[[(]|^%\(|^(?:\.\*|\\+[SswdD]|\[\^|\(\?)|^[^\0-\x7f]+$|^\(|^[)\]}]+(?:[;,\s\\]|$)|^[,;]|^\\+[nr]|^&(?:#x?\w+|lt|gt|amp);|^[\^~]?v?\d+\.\d+\.\d+(?:[-+][\w.]+)?$|^[\w-]+:$|^[^\p{L}\d]+$/iu

/** The name of a secret in the place of its value, as in forms and translations. */
function isLabel(given: string): boolean {
  const value = given.replace(/\d{0,2}[.,;:!?)\]}]*$/, () => '')
  if (value.length > 40 || !/^[\p{L} _/-]+$/u.test(value)) return false
  const words = value
    .replaceAll(/([a-z])([A-Z])/g, (_, a: string, b: string) => `${a} ${b}`)
    .toLowerCase()
    .split(/[ _/-]+/)
  return value.includes(' ') ? words.some((word) => LABELS.has(word)) : LABELS.has(words.at(-1) ?? '')
}
const LABELS = new Set(
  `password passwords passe passwort kennwort passphrase secret token key pin code contraseña contrasena senha пароль
  密码 口令 密碼 密钥 令牌 验证码 パスワード 비밀번호`.split(/\s+/),
)

/** Words with digits that name a method, a format or a version. */
const TERM =
  /^(?:sha|md|o?auth|pbkdf|bcrypt|scrypt|argon|base|utf|ascii|ipv?|https?|tls|ssl|es|ecma|x|ed|ec|aes|rsa|rs|hs|ps|v|k8s|i18n|l10n|a11y|2fa|mfa|totp|s|ec|log4j|web|h|n|p|q|t|scram[-_]sha|ntlmv?|kerberos|smb|win|python|node|java|php|go|postgres|mysql|redis)[-_]?v?\d[\d.]*(?:[-_]?(?:id|bit|bits|hex|crypt|gcm|cbc|hmac|sha\d+|encoded|url|le|be|only))*$/i

/**
 * Looks like a password that a person made up: letters mixed with digits or signs, and neither a term nor code. Where
 * the text announces it, it may also look like a name in code.
 */
export function isPasswordLike(value: string, isAnnounced = false): boolean {
  if (value.length < 6 || value.length > 200 || /\s/.test(value) || isPlain(value) || isReference(value)) return false
  if (!/[A-Za-z]/.test(value) || TERM.test(value) || isOtherThing(value)) return false
  if (isNameWithDigits(value) && !(isAnnounced && /\d/.test(value) && !OF_CODE.test(value))) return false
  return /\d/.test(value) || /[A-Za-z0-9][!#$%^&*+~?@][A-Za-z0-9]/.test(value)
}

/** Words of names in code. */
const OF_CODE = /(?:^|_)(?:password|token|secret|key|hash|user|name|column|field|table|test|v)(?:_|\d*$)/i

/** `user@host`, `some_name2` */
const isNameWithDigits = (value: string): boolean =>
  /^[a-z]+@[a-z][a-z0-9-]*$|^[a-z\d]+(?:_[a-z\d]+)+$|^[A-Z\d]+(?:_[A-Z\d]+)+$/.test(value)

/** An address, a path, a file name, a date, a call, an option, an amount. */
const isOtherThing = (value: string): boolean =>
  /^[a-z][a-z+.-]*:\/\/|^(?:\.{0,2}|~)\/|^[\w.+-]+@(?:[\w-]+\.)+[a-z]+$|^[\w-]+(?:\.[\w-]+)*\.[a-z]{1,4}(?::\d+)*$|^\d{4}-\d\d|^\d+(?:\.\d+)*[a-zA-Z%]{1,5}$|[()[\]{}<>=;]|^-|^#|^[\d.,:]+$|^[\w.-]+\/[\w.-]+$|^[a-z]+(?:-[a-z]+)*-v?\d+(?:\.\d+)*$|^(?:keyid:)?(?:[0-9A-F]{2}:)+[0-9A-F]{2}$|^@|\/.*\/|^[A-Z]+-\d+$|^[a-z]+:[a-z]|^v?\d+\.\d/.test(
    value,
  )

/** Upper and lower case and digits mixed as in nothing that people write; signs of base64 do not count. */
export function isScattered(value: string): boolean {
  if (!/[a-z]/.test(value) || !/[A-Z]/.test(value) || !/\d/.test(value)) return false
  // Paths and names in code alternate as often, but contain words.
  if (value.split('/').every((name) => /^[A-Za-z]*\d{0,2}$/.test(name))) return false
  const words = value.match(/[a-z]{4,}/g)?.join('') ?? ''
  return (
    changesOf(value) + (value.match(/[A-Z](?=[a-z])/g)?.length ?? 0) >= value.length / 4 &&
    words.length < value.length / 2
  )
}

/** Whether a value is a secret, given the strength of its name. */
export function isSecret(value: string, strength: Strength, form: ValueForm): boolean {
  if (isPlain(value)) return false
  if (/^\d{1,3}$/.test(value)) return false
  if ((strength !== 'sure' || form === 'listed' || form === 'code') && TERM.test(value)) return false
  if (strength !== 'sure' && /^0x[0-9a-f]{40}$|^https?:\/\/[^\s@?]*$/i.test(value)) return false
  if (strength === 'maybe') return isRandom(value)
  if (
    (form === 'code' || form === 'listed') &&
    (isReference(value) || LOWER_PATH.test(value) || (strength === 'likely' && isName(value)))
  )
    return false
  if (form === 'listed' && strength === 'sure' && isPasswordLike(value)) return true
  if (form === 'code' || form === 'listed')
    return (isTokenLike(value) || (strength === 'sure' && isWordWithDigits(value))) && !isExpression(value)
  if (strength === 'sure') return isPassword(value, form)
  if (isReference(value) || (form === 'field' && isExpression(value))) return false
  return form === 'env' || form === 'flag'
    ? value.length >= 6 && !isPath(value) && !/^[a-z_][\w.:]*\(/i.test(value)
    : isTokenLike(value)
}

const LOWER_PATH = /^[a-z\d_-]+(?:\/[a-z\d_-]+)+$/

/** A name as in code, with a number at its end. */
const isName = (value: string): boolean => /^[a-z]+(?:[A-Z][a-z]+)*\d{0,2}$|^[a-z]+(?:_[a-z]+)*\d{0,2}$/.test(value)

const isWordWithDigits = (value: string): boolean =>
  value.length >= 6 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value)

function isPassword(value: string, form: ValueForm): boolean {
  if (form === 'quoted') return !isSentence(value) && !isReference(value)
  if (isReference(value)) return false
  if (form === 'field') return !isExpression(value) && !isPath(value) && !/^[A-Z][a-z]+$/.test(value)
  return value.length >= 2
}

/** Text for people: `Password is required.` */
const isSentence = (value: string): boolean =>
  / /.test(value) &&
  (/[.?!:…]$/.test(value) ||
    /\b(?:password|token|required|must|invalid|please|enter|cannot|should|your|incorrect|forgot|confirm|reset)\b/i.test(
      value,
    ))

/** A reference that is resolved elsewhere: `env.TOKEN`, `secrets.TOKEN`, `$TOKEN`, `config/token`. */
const isReference = (value: string): boolean =>
  /^(?:process\.env|import\.meta|os\.environ|os\.getenv|env|ENV|secrets|vars|config|settings|options|opts|props|args|self|this|form|state|model|values|fields|row|record|payload|event|res|result|response|req|request|ctx|context|data|params|body|user|var|local|module|vault|arn:aws|ssm|op:\/)\b[.[(:/]/.test(
    value,
  ) ||
  (/\$\{|\{\{|\$\(|\$[A-Z_]+\b/.test(value) && !isFullOfSigns(value))

/** A call, a member, an index, a plain identifier: code rather than a literal. */
const isExpression = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*(?:\(.*\)?|\[.*\].*|<.*>.*|\{.*\}.*|[!?](?:[.)\];,].*)?|\)+[;:,]*)?$/.test(
    value,
  ) &&
  !(
    /^\w+$/.test(value) &&
    ((/\d/.test(value) && (value.length >= 6 || /[a-z]\d+$/.test(value))) || isScrambled(value))
  ) &&
  !(
    /^[\w.]+!?[)\];]*$/.test(value) &&
    /\d/.test(value) &&
    (/\d{2,}!$/.test(value) || changesOf(value) >= value.length / 4 || (value.length >= 10 && isScattered(value)))
  ) &&
  !/^\w*\d\w*\([^)]*$/.test(value) &&
  !isFullOfSigns(value)

/**
 * Mixed case as in no name: repeatedly a single lower-case letter between upper-case ones, or upper-case letters side
 * by side.
 */
export const isScrambled = (value: string, times = 3): boolean =>
  value.length >= 16 && (value.match(/(?<=[A-Z])[a-z](?=[A-Z])|[A-Z]{2,}/g)?.length ?? 0) >= times

/** Not base64, which may begin with a slash as well. */
const isPath = (value: string): boolean =>
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)/.test(value) && !/[+=]/.test(value) && changesOf(value) < value.length / 6

/** How often lower case, upper case and digits alternate. */
const changesOf = (value: string): number => value.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0

/** Long enough for a token, and not a word: with digits or mixed case. */
function isTokenLike(value: string): boolean {
  if (value.length < 8 || /\s/.test(value) || isPath(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 16
  if (/^[a-z]+(?:[-_.:/][a-z]+)*$/i.test(value) && !isMixed(value)) return value.length >= 32 && !/[-_.:/]/.test(value)
  return /\d/.test(value) || isMixed(value) || isFullOfSigns(value)
}

/** More signs than in any code. */
export const isFullOfSigns = (value: string): boolean =>
  value.length >= 20 && new Set(value.match(/[!@#^&*~+=|?;%]/g)).size >= 3

/** Mixed case, but not as in names: `aBcDeFg`, not `refreshToken` or `HTTPServer`. */
const isMixed = (value: string): boolean =>
  (value.match(/[a-z][A-Z]|[A-Z][a-z](?=[A-Z])/g)?.length ?? 0) > value.length / 6

export const isUuid = (value: string): boolean => /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value)

/** Random, whatever its length. */
export const isDrawn = (value: string): boolean => isRandom(value) || (value.length >= 40 && isScattered(value))

/** Looks random: long, letters and digits mixed, and not an id that people show openly. */
export function isRandom(value: string): boolean {
  if (value.length < 16 || !/^[\w+/=.~:%-]+$/.test(value) || isPath(value)) return false
  if (isUuid(value) || /^(?:sha\d+|md5|w|s|i|m|t|sess)[-:_]/.test(value)) return false
  if (/^(?:keyid:)?(?:[0-9A-F]{2}:)+[0-9A-F]{2}$/i.test(value)) return false
  // The path of a file; a signature, which is public
  if (/(?:^|\/)[a-z]{4,}\//.test(value) || /^ME[UQY]C/.test(value)) return false
  // A name in code: most of it is words
  if (/[A-Z]/.test(value) && (value.match(/[A-Za-z][a-z]{3,}/g)?.join('').length ?? 0) > value.length * 0.75)
    return false
  // A digest after words that describe it: `node-linux-…`
  if (/^[a-z]+(?:-[a-z\d]{1,12})*-[0-9a-f]{32,}$/.test(value)) return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && changesOf(value) >= value.length / 8
}
