import type { Strength } from './names.ts'

/** How a value is written down. It tells a literal from a piece of code. */
export type Form = 'quoted' | 'env' | 'flag' | 'query' | 'field' | 'code'

/** What stands where a secret would: a reference, a mask, something to be filled in. */
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
  asc desc primary unique index example test foo bar baz passed failed skipped mytoken yourtoken here`.split(/\s+/),
)

/** Whether it stands for a value, or is a word of a language. */
export const isPlain = (value: string): boolean =>
  value === '' || PLACEHOLDER.test(value) || PLAIN.has(value.toLowerCase().replace(/[.,;:!?)]+$/, () => ''))

/** Whether the value of a name of this strength is a secret. */
export function isSecret(value: string, strength: Strength, form: Form): boolean {
  if (isPlain(value)) return false
  if (/^\d{1,3}$/.test(value)) return false
  if (strength === 'maybe') return isRandom(value)
  if (form === 'code')
    return (isTokenLike(value) || (strength === 'sure' && isWordWithDigits(value))) && !isExpression(value)
  if (strength === 'sure') return isPassword(value, form)
  if (isReference(value) || (form === 'field' && isExpression(value))) return false
  return form === 'env' || form === 'flag' ? value.length >= 6 && !isPath(value) : isTokenLike(value)
}

const isWordWithDigits = (value: string): boolean =>
  value.length >= 6 && /\d/.test(value) && /[a-z]/i.test(value) && !/\s/.test(value)

function isPassword(value: string, form: Form): boolean {
  if (form === 'quoted') return !isSentence(value) && !isReference(value)
  if (isReference(value)) return false
  if (form === 'field') return !isExpression(value) && !/^[A-Z][a-z]+$/.test(value)
  return value.length >= 2
}

/** Words for people: `Password is required.` */
const isSentence = (value: string): boolean =>
  / /.test(value) &&
  (/[.?!:…]$/.test(value) ||
    /\b(?:password|token|required|must|invalid|please|enter|cannot|should|your|incorrect|forgot|confirm|reset)\b/i.test(
      value,
    ))

/** A name that something else fills in: `env.TOKEN`, `secrets.TOKEN`, `$TOKEN`, `config/token`. */
const isReference = (value: string): boolean =>
  /^(?:process\.env|import\.meta|os\.environ|env|ENV|secrets|vars|config|settings|options|opts|props|args|self|this|req|request|ctx|context|data|params|body|user|var|local|module|vault|arn:aws|ssm|op:\/)\b[.[(:/]/.test(
    value,
  ) || /\$\{|\{\{|\$\(|\$[A-Z_]+\b/.test(value)

/** A call, a member, an index, a plain identifier: code rather than a literal. */
const isExpression = (value: string): boolean =>
  /^[A-Za-z_$][\w$]*(?:(?:\?\.|\.|::|->)[A-Za-z_$][\w$]*)*(?:\(.*\)?|\[.*\].*|<.*>.*|\{.*\}.*|[!?](?:[.)\];,].*)?|\)+;?)?$/.test(
    value,
  ) &&
  !(
    /^\w+$/.test(value) &&
    ((/\d/.test(value) && (value.length >= 6 || /[a-z]\d+$/.test(value))) || isScrambled(value))
  ) &&
  !/^\w*\d\w*\([^)]*$/.test(value)

/**
 * Letters of both kinds as no name has them: again and again a single small one between large ones, or large ones side
 * by side.
 */
export const isScrambled = (value: string, times = 3): boolean =>
  value.length >= 16 && (value.match(/(?<=[A-Z])[a-z](?=[A-Z])|[A-Z]{2,}/g)?.length ?? 0) >= times

/** Not base64, which may begin with a slash as well. */
const isPath = (value: string): boolean =>
  /^(?:\.{0,2}\/|~\/|[A-Za-z]:\\)/.test(value) && !/[+=]/.test(value) && changesOf(value) < value.length / 6

/** How often small letters, large ones and digits change over. */
const changesOf = (value: string): number => value.match(/[a-z](?=[A-Z\d])|[A-Z](?=\d)|\d(?=[A-Za-z])/g)?.length ?? 0

/** Long enough for a token, and not a word: there are digits, or letters of both kinds. */
function isTokenLike(value: string): boolean {
  if (value.length < 8 || /\s/.test(value) || isPath(value)) return false
  if (/^\d+$/.test(value)) return value.length >= 16
  if (/^[a-z]+(?:[-_.:/][a-z]+)*$/i.test(value) && !isMixed(value)) return value.length >= 32 && !/[-_.:/]/.test(value)
  return /\d/.test(value) || isMixed(value)
}

/** Letters of both kinds, not just as names are written: `aBcDeFg`, not `refreshToken` or `HTTPServer`. */
const isMixed = (value: string): boolean =>
  (value.match(/[a-z][A-Z]|[A-Z][a-z](?=[A-Z])/g)?.length ?? 0) > value.length / 6

/** Looks drawn by lot: long, of letters and digits through each other, and no id that people show each other. */
export function isRandom(value: string): boolean {
  if (value.length < 16 || !/^[\w+/=.~:%-]+$/.test(value) || isPath(value)) return false
  if (/^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i.test(value) || /^(?:sha\d+|md5|w|s|i|m|t|sess)[-:_]/.test(value))
    return false
  return /\d/.test(value) && /[A-Za-z]/.test(value) && changesOf(value) >= value.length / 8
}
