import { all, type Range } from '../range.ts'
import { isDrawn, isPasswordLike } from './values.ts'

/** Parts of the names of functions that log in or create an account: an argument that looks like a password is one. */
const LOGINS: readonly string[] = [
  '[Aa]uth(?:entication|enticate|_s|Tokens\\.basic|\\.basic)?',
  'AUTH',
  '(?:simple_)?bind(?:_s)?',
  'PDO',
  '[Mm]ysqli(?:_connect)?',
  '[Ll]og_?(?:[Ii]n|[Oo]n)(?:_?[Aa]s)?',
  '[Ss]ign_?(?:[Ii]n|[Uu]p)(?:With\\w{1,30})?',
  '[Cc]onnect(?:ion)?',
  '[Cc]redentials?',
  '[Cc]reate_?(?:[Ss]uper)?_?[Uu]ser(?:With\\w{1,30})?',
  '(?:[Ss]et|[Cc]hange|[Rr]eset|[Uu]pdate|[Mm]ake|[Hh]ash|[Vv]erify|[Cc]heck)_?(?:[Uu]ser_?)?[Pp]assword',
  'bcrypt(?:\\.\\w{1,20})?',
  'jwt\\.\\w{1,20}',
  '[Cc]ookieParser',
  'Sequelize',
  'WiFi\\.begin',
  '[Pp]bkdf2\\w{0,10}|scrypt\\w{0,10}',
  'FTP|SMTP|IMAP4?',
  'Hash::make|hashpw|checkpw|password_(?:hash|verify)',
  'hmac\\.New|createHmac',
]
/** The same for functions that take a key: an argument that looks random is one. */
const KEYS: readonly string[] = [
  '[Ww]allet',
  '[Pp]rivate_?[Kk]ey\\w{0,20}',
  '[Ss]ecret_?[Kk]ey\\w{0,20}',
  '[Kk]eypair\\.\\w{1,20}',
  '(?:bs|base)58\\.decode|b58decode',
  '[Cc]ipher(?:iv)?',
  'AES\\.\\w{1,12}',
  '[Hh][Mm][Aa][Cc](?:\\.\\w{1,10})?',
  'SecretBox|Fernet|SecretKeySpec|[Ss]ecurityKey|signWith|algoliasearch',
  'OAuth\\w{0,20}|access_token',
]
const ARGUMENTS =
  '(?:\\]?::new|\\.new)?[ \\t]{0,3}=?[ \\t]{0,3}(?:\\(((?:[^()\\n]|\\([^()\\n]{0,100}\\)){3,300})\\)|(?<=auth )(?=["\'])([^\\n]{3,100}))'
const LOGIN = new RegExp(`(?:${LOGINS.join('|')})${ARGUMENTS}`, 'g')
const KEY = new RegExp(`(?:${KEYS.join('|')})${ARGUMENTS}`, 'g')
const LITERAL = /(?<=[\s,(=[{:]|^)[bru]?\\*(["'])([^"'\\]{6,200})\\*\1(?=[\s,)\]}.]|$)/g
const BY_FOURS = /^[a-z]{4}(?: [a-z]{4}){3}$/

/** Passwords and keys among the arguments of calls: literals that look like one and are not digests. */
export function findInCalls(text: string, into: Range[]): void {
  find(LOGIN, text, into, (value) => BY_FOURS.test(value) || (isPasswordLike(value) && !/^[0-9a-f]{32,}$/.test(value)))
  find(KEY, text, into, (value) => isDrawn(value) || /^(?:0x)?[0-9a-f]{64}$/.test(value))
}

function find(calls: RegExp, text: string, into: Range[], isOne: (value: string) => boolean): void {
  for (const call of all(calls, text)) {
    const args = call[1] ?? call[2] ?? ''
    const at = call.index + call[0].length - args.length - (call[1] === undefined ? 0 : 1)
    for (const { index, 0: whole, 2: value = '' } of all(LITERAL, args)) {
      const start = at + index + whole.indexOf(value)
      if (isOne(value)) into.push({ start, end: start + value.length })
    }
  }
}
