import { type HasWord, holdsOf } from '../needles.ts'
import type { Range } from '../range.ts'
import { COMMANDS } from './command-table.ts'
import { type Form, findForms, form, type Judge, ON, QUOTE, START, WORD } from './form.ts'
import { isDrawn, isPasswordLike, isUuid } from './values.ts'

const BLANK = '[ \\t]+'

/** The patterns of the table's words for a secret. */
const VALUES: Readonly<Record<string, string>> = {
  SECRET: `${BLANK}${QUOTE}(?![/-])${WORD}`,
  '=SECRET': `[ \\t=]*(?:\\\\*["'](?![/-])([^"'\\n\\\\]+)|(?![/-])${WORD})`,
  '+SECRET': `${QUOTE}${WORD}`,
  '+ORACLE': `\\\\*["']?([^\\s"'@\\\\/]+)`,
  ':SECRET': `[ \\t=]*${QUOTE}[^\\s:"'\`$]{1,100}:([^\\s"'\`\\\\]+)`,
  ':TOKEN': `${BLANK}[\\w.@-]{1,60}:([\\w-]{8,})`,
  LIKE: `${BLANK}${QUOTE}(?![/-])${WORD}`,
  TOKEN: `${BLANK}${QUOTE}([\\w~+=-]{16,})(?![\\w./:@])`,
}
const isLike: Judge = (value) => isPasswordLike(value)
const JUDGES: Readonly<Record<string, Judge>> = {
  LIKE: isLike,
  TOKEN: (value) => isUuid(value) || isDrawn(value),
}

/** One row of the table as a pattern. */
function formOf(row: string): Form {
  const words = row.split(' ')
  const pattern = words.map((word, i) => VALUES[word] ?? (i === 0 ? `${START}(?:${word})\\b` : wordOf(word)))
  const [first = '', ...others] = beginningsOf(words)
  return form(first, pattern.join(''), 'g', JUDGES[words.at(-1) ?? ''], others.at(-1))
}

function wordOf(word: string): string {
  if (word === '...') return ON
  if (word === '-*') return `(?:${BLANK}--?[\\w-]+){0,5}`
  if (word === '*') return `${BLANK}\\S+`
  const isOptional = word.startsWith('[') && word.endsWith(']')
  return isOptional ? `(?:${BLANK}(?:${word.slice(1, -1)}))?` : `${BLANK}${QUOTE}(?:${word})`
}

/** The possible beginnings of words that do not begin with a pattern. */
const beginningsOf = (words: readonly string[]): string[] =>
  words
    .filter((word) => VALUES[word] === undefined)
    .map((word) => word.split('|').map((one) => /^[\w:/-]+(?![?*])/.exec(one)?.[0] ?? ''))
    .filter((ways) => ways.every((one) => one.length >= 2 && one !== '-*'))
    .map((ways) => ways.join(' '))

/** Secrets identified only by their place in a command or a file. */
const FORMS: readonly Form[] = [
  ...COMMANDS.map(formOf),
  form(
    '-u --user --proxy-user',
    `[ \\t](?:-u|--user|--proxy-user)[ \\t=]+${QUOTE}[^\\s:"'\`$/]{1,100}:(?!\\d+\\b)([^\\s"'\`\\\\/:]{4,})(?=\\\\*["'\\s]|$)`,
    'gm',
  ),
  // A user and, with few options in between, a password: sqlcmd, mongodump, mosquitto_pub, ipmitool, twine, rdesktop, …
  form(
    '-p -P',
    `[ \\t]-[uU][ \\t]*${QUOTE}[\\w.@-]{1,60}${QUOTE}(?:[ \\t]+-{1,2}[\\w-]+(?:[ \\t]+[^\\s-]\\S*)?){0,3}?[ \\t]+-[pP][ \\t]*${QUOTE}(?![./~])(?=[^\\s"'\\\\]*[A-Za-z])(?=[^\\s"'\\\\]*[\\d!#%^*+~])${WORD}`,
  ),
  form('%', `[ \\t]-U[ \\t]*${QUOTE}[\\w.\\\\/-]{1,60}%([^\\s"'\\\\]+)`),
  form(
    'ftp',
    `${START}open[ \\t]+-u[ \\t]*${QUOTE}[\\w.@-]{1,60},([^\\s"'\\\\]+)|${START}lftp\\b${ON}[ \\t]-u[ \\t]*${QUOTE}[\\w.@-]{1,60},${QUOTE}([^\\s"'\\\\]+)`,
  ),
  form('/p: /rp', `[ \\t]/(?:p:|rp[ \\t]+)${QUOTE}(?!\\w+=)${WORD}`),
  form('AUTH', `(?:^|[>"'\\n][ \\t]*)AUTH[ \\t]+(?:\\w+[ \\t]+)?${QUOTE}(?=[^\\s"']*\\d)${WORD}`, 'gm'),
  form('SecureString', `ConvertTo-SecureString[ \\t]+(?:-String[ \\t]+)?\\\\*["']([^"'\\n\\\\]+)`),
  form(
    'chpasswd',
    `${START}(?:echo|printf)[ \\t]+(?:-\\w+[ \\t]+)?\\\\*["']?[\\w.-]+:([^\\s"'\\\\]+)(?=[^|\\n]{0,10}\\|[ \\t]*(?:sudo[ \\t]+)?chpasswd)`,
  ),
  form('XAUTH EAP', `(?:XAUTH|EAP)[ \\t]+\\\\*"([^"\\n\\\\]+)`),
  form(
    'base64',
    `${START}(?:echo|printf)[ \\t]+(?:-n[ \\t]+)?${QUOTE}[\\w.@-]+:(?=[^\\s"']*\\d)([^\\s"'|\\\\]+)(?=${QUOTE}[ \\t]*\\|[ \\t]*base64)`,
  ),
  form('thin:', `:thin:[\\w.]{1,60}/([^\\s"'@\\\\/]+)`),
  form('send', `assword[^\\n]{0,40}(?:\\r?\\n|\\\\+n)[+>]?[ \\t]*send(?:[ \\t]+--)?[ \\t]+\\\\*["']([^"'\\n\\\\]+)`),
  form('send', `${START}send(?:[ \\t]+--)?[ \\t]+\\\\*["'](?=[^"'\\s]*\\d)([^"'\\s\\\\]+)(?=\\\\+[rn])`),
  // Two literals passed to a login: the second is the secret
  form(
    'Auth Cred Client Key',
    `(?:Auth|Cred|Client|Key)\\w*\\([ \\t]*\\\\*["'][^"'\\n]{4,100}?["'][ \\t]*,[ \\t]*\\\\*["'](?=[^"']*\\d)([A-Za-z0-9+/_=-]{30,})(?=\\\\*["'])`,
  ),
  // The query of an address: a code that grants access
  form('code=', `(?:[?&+"'\\s]|^|\\\\n)(?:device_|auth_)?code=([\\w=/.%-]{20,})`, 'gm'),
  form('Fernet', `Fernet\\([ \\t]*b?\\\\*["']([\\w=-]{40,})`),
  // The cookies that curl and browsers store in a file
  form(
    'TRUE FALSE',
    `(?:\\t|\\\\t)(?:TRUE|FALSE)(?:\\t|\\\\t)\\d+(?:\\t|\\\\t)[^\\t\\n\\\\]+(?:\\t|\\\\t)([^\\s\\\\"']+)`,
  ),
  // The secret that belongs to an id
  form(
    'AKIA ASIA LTAI AKID GOOG1E AC SK',
    `${START}(?:(?:AKIA|ASIA)[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{28,40}|GOOG1E[A-Z0-9]{40,60}|(?:AC|SK)[a-f0-9]{32})\\b(?:[^A-Za-z0-9+/\\n]{1,8}|/)(?=[A-Za-z+/_-]*\\d)([A-Za-z0-9+/_-]{30,64})(?![A-Za-z0-9+/=_-])`,
  ),
  form(
    'echo printf yes',
    `${START}(?:echo|printf|yes)[ \\t]+(?:(?:-n|-e|-ne|'?%s(?:\\\\+n)?'?)[ \\t]+)?${QUOTE}([^\\s"'\`;|&<>]+?)(?=${QUOTE}[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+-S|(?:sudo[ \\t]+)?(?:su|kinit|cryptsetup|zfs|smbpasswd|chpasswd|passwd|pass|lpass|bw|op|keepassxc-cli)\\b|\\S+[ \\t]+(?:auth[ \\t]+)?(?:login|secrets?)\\b|[^\\n|]{0,60}(?:password[_-]stdin|passphrase-fd|with-token)))`,
  ),
  form(
    'echo printf',
    `${START}(?:echo|printf)[ \\t]+(?:(?:-n|-e|'?%s(?:\\\\+n)?'?)[ \\t]+)?${QUOTE}${WORD}(?=${QUOTE}[ \\t]*(?:>>?|\\|[ \\t]*(?:sudo[ \\t]+)?tee)[ \\t]*[\\w./~-]{0,100}(?:pass|secret|token|key|cred))`,
    'g',
    (value) => isPasswordLike(value) || isDrawn(value),
  ),
  form(
    '<<',
    `<<-?["']?\\w+["']?[ \\t]*>[ \\t]*[\\w./~-]{0,100}(?:pass|secret|token|cred)[\\w.-]{0,20}(?:\\r?\\n|\\\\n)([^\\s\\\\]{6,200})(?=[ \\t]*(?:\\r?\\n|\\\\n))`,
    'g',
    (value) => isPasswordLike(value) || isDrawn(value),
  ),
  form(
    'passwd',
    `\\(echo[ \\t]+${QUOTE}${WORD}(?=${QUOTE};[ \\t]*echo[^|\\n]{0,100}\\|[ \\t]*(?:sudo[ \\t]+)?\\w*passwd)`,
  ),
  form('encrypt_string', `encrypt_string\\b${ON}[ \\t]["']([^"'\\n]+)(?=["'])`, 'g', isLike),
  form(
    '<(echo <(printf',
    `(?:pass|PASS|secret|SECRET|key|KEY|token|TOKEN)[^\\n|;<]{0,60}<\\((?:echo|printf)[ \\t]+(?:-n[ \\t]+)?${QUOTE}([^\\s"'\`;|&<>()\\\\]+)`,
  ),
  form('-command', `--pass(?:word|phrase)-command[ \\t=]+${QUOTE}echo[ \\t]+${WORD}`),
  form('--secret-string', `--secret-string[ \\t=]+\\\\*'\\{([^'\\n]{1,2000})(?=\\}\\\\*')`),
  form(
    '--from-literal',
    `--from-literal[ \\t=]+${QUOTE}[\\w.-]{1,80}=(?<=secret\\b[^\\n|;]{0,300})(?:\\\\*["']([^"'\\n\\\\]+)|${WORD})`,
  ),
  form('SecureString', `put-parameter\\b${ON}--value[ \\t=]+${QUOTE}${WORD}(?=${QUOTE}[ \\t]${ON}SecureString)`),
  form(
    '<<<',
    `(?:--with-token|--password-stdin|-S\\b[^\\n<]{0,60}|(?:passwd|secret|signin|login|unlock|password|PASSWORD|PASS|PW|PWD|TOKEN|KEY|SECRET)\\b[^\\n<]{0,60})[ \\t]*<<<[ \\t]*${QUOTE}${WORD}`,
  ),
]

export function findInCommands(text: string, into: Range[], holds: HasWord = holdsOf(text)): void {
  findForms(text, FORMS, into, holds)
}
