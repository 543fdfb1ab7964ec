import { all, type Range } from '../range.ts'
import { match } from './value-at.ts'
import { isPasswordLike, isPlain, isScattered } from './values.ts'

/**
 * Passwords in prose, in English and in Chinese. Anything may follow "the password is": a quoted value counts unless it
 * is a plain term, a bare word only if it looks like a password, with digits or signs in it.
 */

/** Quotes that people put around a value. */
const QUOTES: Readonly<Record<string, string>> = {
  '"': '"',
  "'": "'",
  '`': '`',
  '“': '”',
  '‘': '’',
  '「': '」',
  '『': '』',
  '《': '》',
  '【': '】',
  '**': '**',
}
const OPENING = /\\*["'`“‘「『《【]|\*\*/y
/** A value ends at a space and where another script begins. */
const BARE = /[!-&(-_a-~]{1,4000}/y
const TAG = /<(?:b|code|strong|em|kbd)>/y
const TRAILING = /(?:[.,;:?)\]]|\*\*|<\/?\w*>?)+$/

interface Told extends Range {
  readonly isQuoted: boolean
}

/** The word at this place, quoted or bare, without the punctuation that ends the sentence. */
function wordAt(text: string, from: number): Told | undefined {
  const tag = match(TAG, text, from)
  const at = from + (tag?.[0].length ?? 0)
  const open = match(OPENING, text, at)?.[0]
  if (open !== undefined) {
    const start = at + open.length
    const close = open.startsWith('\\') ? open : (QUOTES[open] ?? open)
    const end = text.indexOf(close, start)
    return end > start && end - start <= 100 && !/[\n]/.test(text.slice(start, end))
      ? { start, end, isQuoted: true }
      : undefined
  }
  const bare = match(BARE, text, at)?.[0] ?? ''
  const cut = /\\+[nrt"']|<\/|[()[\]]/.exec(bare)?.index ?? bare.length
  const word = bare.slice(0, cut)
  const end = at + word.length - (TRAILING.exec(word)?.[0].length ?? 0)
  return end > at ? { start: at, end, isQuoted: false } : undefined
}

/** How strongly the words around announce a password. */
type Manner = 'said' | 'near'

/** Whether the word where a password may be is one. */
function isTold(text: string, word: Told, how: Manner): boolean {
  const value = text.slice(word.start, word.end)
  if (value.length < 4 || isPlain(value)) return false
  if (/^\d{4,10}$/.test(value))
    return how === 'said' && /^(?:$|[.,;!?)\\\n"'])/.test(text.slice(word.end, word.end + 1))
  if (word.isQuoted && how === 'said') return !/\s/.test(value) && !isTerm(value)
  // `admin/…`: a user before it
  return isPasswordLike(value, how === 'said') || isPasswordLike(/^[\w.-]+\/([^/]+)$/.exec(value)?.[1] ?? '')
}

/** Terms of programming that people put in quotes. */
const isTerm = (value: string): boolean =>
  /^[a-z]+_[a-z_]+$|^[A-Z][A-Z_]+$|[(){}<>=]|^[$%]|^\/|^https?:|^[a-z]+(?: [a-z]+)*[.!?]$/.test(value)

const FOR = '(?:[ \\t]+(?:for|of|on|at|in)[ \\t]+[^\\n.!?;:,，。"]{1,50}?)?'
/** Between the name and its value: words that announce a value. */
const SAID = new RegExp(
  `(?:${FOR}(?:[ \\t]+(?:we|I|you|they)[ \\t]+(?:use|have|need|want|set)(?:[ \\t]+(?:now|here|there))?)?[ \\t]{1,3}(?:is|was|are|ist|war|lautet|est|était|es|era|è|é|jest|är|like|would be|used to be|stays|remains|became|becomes|as|with|being|equals?|will be|should be|must be|has been|to|set to|set as|changed to|reset to)(?![a-zà-ÿ])(?:[ \\t]+(?:something like|either|set as|now|still|just|currently|simply|probably|set to|changed to|reset to))?[ \\t]{0,3}[:：]?[ \\t]{0,3}|` +
    "[ \\t]{0,3}(?:->|→|=>|-->|={2,3}>|\\.{3}|…)[ \\t]{0,3}|['’]s[ \\t]{1,3}|[ \\t]+it is[ \\t]{1,3}|" +
    "[ \\t]?[,?!;.(][ \\t]{0,3}(?:it'?s|it is|which is|namely|that is)(?:[ \\t]+(?:currently|still|now|actually))?[ \\t]{1,3}[:：]?[ \\t]{0,3}|" +
    '[ \\t]?,?[ \\t]{1,3}(?:please[ \\t]+)?(?:type|enter|use|try|input|put in)[ \\t]{1,3})',
  'iy',
)
/** Between the name and its value, where much else may be: a space, or the rest of a sentence that ends in a colon. */
const SIGN = /[ \t]{1,3}(?:[-–—][ \t]{1,3}|[[(]|\?[ \t]{1,3})(?=\S)/y
const BLANK = /[,?]?[ \t]{1,3}(?:[-–—][ \t]{1,3}|[[(])?(?=\S)/y
const PHRASE =
  /(?:,?[ \t]+[A-Za-zÀ-ӿ0-9@'’._-]{1,30}){1,6}?(?:,?[ \t]+still|[ \t]+(?:is|was|be|stays|remains|became|est|ist|lautet|es|è|é|jest))[ \t]{1,3}/y
const CLAUSE = /(?:[,;]?[ \t][A-Za-zÀ-ӿ0-9@.'’_-]{1,30}){1,8}?:[ \t]{1,3}/y

/** The value after the name of a password in an English sentence. */
export function toldInEnglish(text: string, at: number): Range | undefined {
  for (const [pattern, how] of [
    [SAID, 'said'],
    [SIGN, 'said'],
    [BLANK, 'near'],
    [CLAUSE, 'near'],
    [PHRASE, 'near'],
  ] as const) {
    const words = match(pattern, text, at)
    const value = words ? wordAt(text, at + words[0].length) : undefined
    if (value && isTold(text, value, how)) return value
  }
  return undefined
}

/** The rest of the sentence, which is searched for a password: letters, digits and signs mixed as in nothing else. */
const SENTENCE = /[^\n.。;；|]{0,80}/y
const STRONG =
  /(?<=[\s"'`“(:：])(?=[^\s]{0,40}\d)(?=[^\s]{0,40}[A-Za-z]{3})(?=[^\s]{0,40}[!@#$%^&*~])(?![\w.+-]+@[\w.-]+(?=[\s,;.]|$))(?![A-Za-z]+#\d+)[A-Za-z0-9!@#$%^&*~_.+-]{8,40}(?=[\s"'`”),;:。，]|$)/g

/** "nobody changed the password, which is on the note as cisco123!" */
export function toldInSentence(text: string, at: number): Range | undefined {
  const rest = match(SENTENCE, text, at)?.[0] ?? ''
  if (!/\d/.test(rest) || !/[!@#$%^&*~]/.test(rest)) return undefined
  for (const { index, 0: word } of all(STRONG, rest)) {
    const value = word.replace(/[.,]+$/, () => '')
    const isEnd = /^[^!@#$%^&*~]*!$/.test(value) && index + word.length === rest.length
    if (!isEnd && isPasswordLike(value)) return { start: at + index, end: at + index + value.length }
  }
  return undefined
}

const CHANGED = /\\*["'`”]?[ \t]*(?:(?:to|into)[ \t]+|(?:改|换|变|更新|重置|设)(?:为|成)了?[ \t]*|(?:->|→|=>)[ \t]*)/y

const FROM = /(?:[ \t]+[A-Za-z0-9@'’._-]{1,30}){0,5}?[ \t]+from[ \t]+/y

/** "changed the password from …": only with the new value, or with a sign that no name contains. */
export function toldFrom(text: string, at: number): Range | undefined {
  const words = match(FROM, text, at)
  const value = words ? wordAt(text, at + words[0].length) : undefined
  if (value === undefined) return undefined
  const word = text.slice(value.start, value.end)
  const isOne = isPasswordLike(word) && (/[!@#$%^&*]/.test(word) || changedTo(text, value.end) !== undefined)
  return isOne ? value : undefined
}

const ANOTHER = /\\*["'`”]?[ \t]*(?:[,、，/]|and\b|or\b|und\b|和|或)[ \t]*/y
const MOST_TOLD = 8

/** "… and …", "…, …": more passwords after one that ends here. Each must contain something that names do not. */
export function toldAlong(text: string, at: number): Range[] {
  const told: Range[] = []
  for (let end = at; told.length < MOST_TOLD; ) {
    const words = match(ANOTHER, text, end)
    const value = words ? wordAt(text, end + words[0].length) : undefined
    const word = value ? text.slice(value.start, value.end) : ''
    if (value === undefined || !isPasswordLike(word) || !/[A-Z!@#$%^&*]/.test(word) || !/\d/.test(word)) break
    told.push(value)
    end = value.end
  }
  return told
}

/** "from … to …": the new value of the password that ends here. */
export function changedTo(text: string, at: number): Range | undefined {
  const words = match(CHANGED, text, at)
  const value = words ? wordAt(text, at + words[0].length) : undefined
  return value && isPasswordLike(text.slice(value.start, value.end), true) ? value : undefined
}

const VALUE_IS =
  '(?:我们?|已经?|就|还|应该|填的|写的|用的|输的|現在|现在|目前|临时|统一|默认|都|可能|也)?(?:是|为|為|叫|[设設]为|設為|设置为|设成|设置成|改成|改为|重置为|重置成|换成|更新为|由|从|输入|填写|用|填|写|输|取|は|が|を|는|은|가|를|을)'
const SAID_IN_CHINESE = new RegExp(
  `(?:[ \\t]*${VALUE_IS}(?:了|用的)?[ \\t]*[:：]?|[ \\t]*[:：=＝]|[ \\t]*(?:->|→|=>)|(?:的时候|时候|时|后)?[，,]?[ \\t]*(?:请)?输入|分别[是为][ \\t]*[!-~]+[ \\t]*[和、,，/][ \\t]*)[ \\t]*`,
  'y',
)
const NEAR_IN_CHINESE = /[ \t]*[（(，,]?[ \t]*/y
/** After a number: it is a count. */
const COUNTS = /^[ \t]*(?:位|个|個|分|秒|次|天|小时|月|年|字|文字|桁|자|或|到|以)/

/** The value after the name of a password in a Chinese, Japanese or Korean sentence. */
export function toldInChinese(text: string, from: number): Range | undefined {
  const at = from + (match(CLOSED, text, from)?.[0].length ?? 0)
  const said = match(SAID_IN_CHINESE, text, at)
  const mixed = said ? match(MIXED, text, at + said[0].length) : null
  if (mixed) return { start: mixed.index, end: mixed.index + mixed[0].length }
  const next = said ?? match(NEAR_IN_CHINESE, text, at)
  const value = next ? wordAt(text, at + next[0].length) : undefined
  if (value === undefined) return toldLater(text, at)
  const word = text.slice(value.start, value.end)
  if (COUNTS.test(text.slice(value.end, value.end + 6))) return undefined
  if (said ? /^\d{4,10}$/.test(word) : /^\d{6,8}$/.test(word)) return value
  if (/[提访验]\p{L}码$/u.test(text.slice(at - 3, at)) && /^[A-Za-z0-9]{4,8}$/.test(word) && !isPlain(word))
    return value
  if (said && /[:：=＝]$/.test(said[0].trim()) && isNamedInChinese(word)) return value
  return isTold(text, value, said ? 'said' : 'near') || isPasswordLike(word, true) ? value : undefined
}

const LATER_IN_CHINESE = /[\u4e00-\u9fff，,]{0,12}?(?:是|为|成|[:：]|默认)[ \t]*/y

/** `密码一般都是 …` */
function toldLater(text: string, at: number): Range | undefined {
  const words = match(LATER_IN_CHINESE, text, at)
  const value = words ? wordAt(text, at + words[0].length) : undefined
  return value && isPasswordLike(text.slice(value.start, value.end)) ? value : undefined
}

/** What closes the name: `**密码**` */
const CLOSED = /(?:\*{1,2}|\\*["'`”」』】])?/y
/**
 * A value with letters of both scripts, up to the end of its clause: `上海2024@abc`. Not a count of characters, as in
 * password rules.
 */
const MIXED =
  /(?![^!-~\s]{0,8}(?:位|至少|不|请|見|见|为|是|最|于|须|必|长度|或|和|有效))[\u4e00-\u9fff]{1,6}(?=[!-~]{0,20}\d)[!-+\--:<-~]{3,40}(?=[\s，。；,;）)】]|\\n|["'`]|$)/y

/** After a colon a plain word may be a password as well. */
const isNamedInChinese = (word: string): boolean => /^[!-~]{4,100}$/.test(word) && !isPlain(word) && !isTerm(word)

const BEFORE =
  /(?:^|[\s(,:，：+>]|\\n)(\\*["'`“‘「]?)(?![([{])([^\s"'`“”‘’「」，。]{4,64}?)\\*["'`”’」]?[ \t]{1,3}(?:is|as|was|for)[ \t]{1,3}(?:[A-Za-z]{1,12}[ \t]{1,3}){0,3}$/
const BEFORE_IN_CHINESE =
  /(\\*["'`“‘「]?)([!-~]{4,64}?)\\*["'`”’」]?[ \t]*(?:作为|作為|当作|当|设为|设成|是)[\p{L}]{0,6}$/u

/** The name ends its phrase: "the password for …", not "the password field". */
const AFTER_NAME =
  /^(?:[ \t]*$|[ \t]*[.,;:!?)\n\r\\"'`，。；！、]|[ \t]+(?:for|of|on|to|and|now|in|at|here|again|but|so|when|if|we|I|that|which)\b|[^!-~\s])/

/** The value before its name: "use … as the password", "… is the password". */
export function toldBefore(text: string, name: Range): Range | undefined {
  const from = Math.max(0, name.start - 100)
  const before = text.slice(from, name.start)
  const found = BEFORE.exec(before) ?? (/[^!-~\s]$/.test(before) ? BEFORE_IN_CHINESE.exec(before) : null)
  if (found === null || !AFTER_NAME.test(text.slice(name.end, name.end + 12))) return undefined
  const [whole, quote = '', value = ''] = found
  const start = from + found.index + whole.indexOf(value, whole.indexOf(quote) + quote.length)
  const word: Told = { start, end: start + value.length, isQuoted: quote !== '' }
  return isTold(text, word, 'said') && (word.isQuoted || isPasswordLike(value)) ? word : undefined
}

/** After the line that names it: the only word of the next line, also in a code fence. */
const TO_NEXT_LINE =
  /(?:\\*["'])?(?:[ \t][A-Za-z0-9@.'’_-]{1,30}){0,8}[ \t]*(?:[:：?]|is[:：]?)?\**[ \t]*(?:\r?\n|\\+n)(?:[+>]?(?:[ \t]*\d{1,6}(?:[\t→]|\\+t))?[ \t]*(?:```\w*)?[ \t]*(?:\r?\n|\\+n)){0,2}[+>]?(?:[ \t]*\d{1,6}(?:[\t→]|\\+t))?[ \t]*(?=\S)/y
const LINE_END = /^(?:\\*["'`”’]?[ \t]*(?:\r?\n|\\+n|$)|\\*["'])/

export function toldOnNextLine(text: string, at: number): Range | undefined {
  const words = match(TO_NEXT_LINE, text, at)
  const value = words ? wordAt(text, at + words[0].length) : undefined
  if (value === undefined || !LINE_END.test(text.slice(value.end, value.end + 40))) return undefined
  const word = text.slice(value.start, value.end)
  if (value.isQuoted && !isPlain(word) && !isTerm(word) && !/\s/.test(word) && word.length >= 6) return value
  return isPasswordLike(word) || (word.length >= 40 && isScattered(word)) ? value : undefined
}

/** A word begins here; the n of an escaped line end (\n) is not part of it. */
const START = '(?<![A-MO-Za-mo-z0-9_]|(?<!\\\\)[Nn])'
/** The user, and what is between it and the password. */
const USER =
  '[ \\t]*[:：]?[ \\t]*[A-Za-z][\\w.@-]{0,60}(?:[ \\t]*[/:|,][ \\t]*(?:p(?:w|ass)?:[ \\t]*)?|[ \\t]+(?:and|和|with|using|p(?:w|ass)?:)[ \\t]+|[ \\t]*和[ \\t]*|[ \\t]+)'
/** The words before a user and a password that are given together. */
const PAIRS: readonly RegExp[] = [
  `${START}(?:[Cc]redentials?|[Cc]reds|[Ll]og ?in|[Ll]ogins?|[Ss]ign ?in|[Aa]ccounts?|[Aa]ccess)(?:(?:[ \\t]+(?:is|are|with|as|using|for[ \\t]+\\S+))+[ \\t]*[:：]?|[ \\t]*[:：–—])`,
  `${START}[Uu]ser ?names? and passwords?(?:[ \\t]*[:：]|[ \\t]+(?:is|are|as))`,
  `${START}[Ll]og ?in(?=[ \\t]+(?:admin|root|\\S+@\\S+\\.\\w+)[ \\t]*/)`,
  '(?:auth|login|creds?)[ \\t=]{1,3}(?=[\\w.@-]{1,60}:)',
  `${START}(?:u(?:ser)?:|digest(?=[ \\t]+\\w+:)|user(?=[ \\t]+\\w+[ \\t]+using[ \\t]))`,
  `\\((?=(?:admin|root|user|test|guest|demo|postgres|ubuntu|\\S+@\\S+\\.\\w+)[ \\t]*/)`,
  `${START}u(?:ser)?/p(?:ass(?:word)?|w)?[ \\t]*[:：=](?=[ \\t]*[\\w.@-]+/)`,
  `${START}(?:wi-?fi|[Ww]i-?[Ff]i|WLAN)[ \\t]*[:：](?=[ \\t]*[\\w.-]+[ \\t]*/)`,
  `${START}(?:with|use|using|try|it's)(?=[ \\t]+(?:[\\w.@-]+[ \\t]+/[ \\t]|(?:admin|root|user|test|guest|demo|postgres|ubuntu|\\S+@\\S+\\.\\w+)/))`,
  '(?:(?:连接|登录|登陆|账户)[ \\t]*[:：]|账号密码|账密|帐号密码|用户名和?密码|用户名/密码|账号和?密码|用|使用)(?:[ \\t]*(?:分别)?[是为])?',
].map((words) => new RegExp(words + USER, 'g'))
/** An address or a name, with the password beside it. */
const BESIDE: readonly RegExp[] = [
  /@[\w-]{1,60}(?:\.[\w-]{1,30}){1,4}[ \t]+\/[ \t]+/g,
  /(?<![\w/.@-])(?:admin|administrator|root|guest|demo|postgres|sa|ubuntu|pi)(?:[ \t]+\/[ \t]+|\/(?=[^\s/]*[A-Z!@#$%^&*][^\s/]*(?:\s|$)))/g,
  /@\d{1,3}(?:\.\d{1,3}){3}[ \t]*\((?=[^()\s]{6,64}\))/g,
]
const LOGIN = /用[ \t]*(?=[“"'‘「`])/g

export function findPairsInProse(text: string, into: Range[]): void {
  for (const pair of [...PAIRS, ...BESIDE])
    for (const found of all(pair, text)) pushLike(text, found.index + found[0].length, into)
  if (/登[录陆錄]/.test(text))
    for (const found of all(LOGIN, text)) {
      const at = found.index + found[0].length
      const word = wordAt(text, at)
      if (word && /^.?[ \t]*(?:来)?登[录陆錄]/.test(text.slice(word.end, word.end + 8))) pushLike(text, at, into)
    }
}

function pushLike(text: string, at: number, into: Range[]): void {
  const word = wordAt(text, at)
  if (word && isPasswordLike(text.slice(word.start, word.end))) into.push({ start: word.start, end: word.end })
}
