import { type HasWord, holdsOf } from '../needles.ts'
import type { Range } from '../range.ts'
import { type Form, findForms, form, type Judge, QUOTE, START, WORD } from './form.ts'
import { isDrawn, isPasswordLike } from './values.ts'

const UUID = '[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}'
const isLike: Judge = (value) => isPasswordLike(value)

/** Secrets identified only by their place in a file, an answer or a statement. */
const FORMS: readonly Form[] = [
  // Settings whose name alone does not identify them
  form('secret Secret SECRET', `secret[ _-]?id\\\\*["']?[ \\t]*[:=]?[ \\t]*${QUOTE}(${UUID})`, 'gi'),
  form('static:', `static:[\\w.@-]{1,60}:${WORD}`, 'g', isLike),
  form(']:', `\\]:\\d{2,5}[ \\t]+[\\w.@-]{1,80}:${WORD}`),
  form('passwordeval', `passwordeval[ \\t=]+${QUOTE}echo[ \\t]+${WORD}`),
  form('emporary', `emporary password is generated for \\S+: ([^\\s\\\\]+)`),
  form('PASSWORD', `\\bPASSWORD[ \\t]+\\w+[ \\t]*=[ \\t]*${QUOTE}${WORD}`, 'g', isLike),
  form('assword', `assword[^\\n]{0,80}(?:\\n|\\\\n)[^\\n:]{0,20}[Nn]ew value:[ \\t]*${WORD}`),
  // The output of a command that prints a secret, alone on the next line
  form(
    'cat less Get-Content pass op rand pwgen -field find-generic-password secret-tool base64 secrets print- get-',
    `(?:(?:cat|less|head|type|Get-Content)[ \\t]+[\\w./~-]{0,100}(?:pass(?:word|wd|phrase)?|secret|token|master\\.key|\\.key|cred)[\\w.-]{0,20}|\\bpass[ \\t]+show[^\\n\\\\]{1,80}|\\bop[ \\t]+read[^\\n\\\\]{1,80}|openssl[ \\t]+rand[^\\n\\\\]{1,40}|\\bpwgen\\b[^\\n\\\\]{0,40}|\\bvault[^\\n\\\\]{1,40}-field[^\\n\\\\]{1,80}|find-generic-password[^\\n\\\\]{1,100}|secret-tool[ \\t]+lookup[^\\n\\\\]{1,100}|\\bsecret[^\\n\\\\]{1,150}base64[ \\t]+-(?:d|D|-decode)|secrets[ \\t]+versions[ \\t]+access[^\\n\\\\]{1,100}|get-secret-value[^\\n\\\\]{1,100}|print-(?:access|identity)-token|get-login-password[^\\n\\\\]{0,60})[ \\t]*(?:\\r?\\n|\\\\n)([^\\s"'\\\\]{6,200})(?=[ \\t]*(?:\\r?\\n|\\\\n|["'\`]|$))`,
    'g',
    (value) => isDrawn(value) || isPasswordLike(value) || /^[0-9a-f]{32,}$/.test(value),
  ),
  form('sonar', `sonar\\.(?:login|token)=${QUOTE}${WORD}`),
  form('encrypt', `\\bencrypt\\\\*["']?[ \\t]*[:=][ \\t]*${QUOTE}([A-Za-z0-9+/]{43}=)`),
  form('accounts', `accounts\\\\*["']?[ \\t]*:[ \\t]*\\[\\s*${QUOTE}((?:0x)?[0-9a-f]{64})\\b`),
  form('ak sk AK SK', `(?<![A-Za-z])(?:ak|sk)[ \\t]*[:=：][ \\t]*${QUOTE}([\\w+/=-]{20,})`, 'gi', isDrawn),
  form(
    'ak/sk AK/SK',
    `\\bak/sk[ \\t]*[:=：]?[ \\t]*${QUOTE}[\\w+-]{16,64}[ \\t]*[/,:][ \\t]*([\\w+/=-]{20,})`,
    'gi',
    isDrawn,
  ),
  form('_PK', `\\b[A-Z_]{1,40}_PK[ \\t]*=[ \\t]*${QUOTE}((?:0x)?[0-9a-f]{64})\\b`),
  form('RSAKeyValue', `<(?:D|P|Q|DP|DQ|InverseQ)>\\s*([A-Za-z0-9+/=]{16,})(?=\\s*</)`),
  form('erlang', `erlang[. ]cookie[^\\w\\n]{1,20}([A-Z]{20})\\b`),
  form('$USER', `\\$USER\\d+\\$=${WORD}`, 'g', isLike),
  form('auth-user-pass>', `<auth-user-pass>\\s*\\S+\\s+([^\\s<]+)(?=\\s*</)`),
  form(
    ' *',
    `^[ \\t]*"?[\\w.@-]{1,60}"?[ \\t]+(?:\\*|\\w{1,20})[ \\t]+"?([^\\s"*]{6,})(?="?[ \\t]+\\*[ \\t]*$)`,
    'gm',
    isLike,
  ),
  form('chpasswd', `chpasswd:[^]{0,60}?list:[ \\t{"'|>-]*\\s*["']?[\\w.-]+:([^\\s"'}\\\\]+)`),
  form('assword>', `assword>\\s*<Value>([^<\\s]+)(?=</Value>)`),
  form('-y', `[ \\t]-y[ \\t]+${QUOTE}[\\w-]{1,30}:[\\w.-]{1,60}:([A-Za-z0-9+/=]{16,})`),
  form('HEX: ASCII:', `\\b\\d+[ \\t]+(?:SHA\\d+|MD5|AES\\d+)[ \\t]+(?:HEX|ASCII):${WORD}`),
  form('ickServ', `nickserv[ \\t]+:?(?:identify|register)[ \\t]+(?:\\w+[ \\t]+)?([^\\s"'\\\\]{5,})`, 'gi'),
  form(
    'socks http',
    `^[ \\t]*(?:socks[45]|https?)[ \\t]+[\\d.]+[ \\t]+\\d+[ \\t]+\\S+[ \\t]+([^\\s\\\\]+)`,
    'gm',
    isLike,
  ),
  form(
    'ser ogin dent redential uth AUTH LOGIN USER',
    `(?:user|userpass|login|ident|credentials?|auth)\\\\*["']?[ \\t]*[:=][ \\t]*${QUOTE}[\\w.@-]{1,60}:([^\\s"'\`;|&<>\\\\:/]+)`,
    'gi',
    isLike,
  ),
  form(
    'btoa 64 Buffer',
    `(?:btoa|encode\\w{0,10}|Base64\\.\\w{1,30}|Buffer\\.from)\\([ \\t]*b?\\\\*["'][\\w.@-]{1,60}:([^"'\\s\\\\]{4,})(?=\\\\*["'])`,
  ),
  form('btoa', `btoa\\([^\\n]{0,60}["']:["'][ \\t]*\\+[ \\t]*["']([^"'\\s\\\\]{4,})(?=["'])`),
  form(
    '-oauth -token',
    `"(?:github|gitlab|bitbucket)-(?:oauth|token)\\\\*"\\s*:\\s*\\{[^{}]{0,80}?:\\s*\\\\*"([^"\\\\]{16,})`,
  ),
  form('AQAA', `\\{(AQAAA[A-Za-z0-9+/=]{20,})(?=\\})`),
  form(
    '_KEY _SALT',
    `(?:AUTH|LOGGED_IN|NONCE)_(?:KEY|SALT)\\\\*["'][ \\t]*,[ \\t]*\\\\*["']([^'"\\n]{20,80})(?=\\\\*["'][ \\t]*\\))`,
  ),
  // SQL
  form('dentified DENTIFIED', `identified[ \\t]+by[ \\t]+([^\\s'";\\\\]+)`, 'gi', isLike),
  form('crypt(', `\\bcrypt\\([ \\t]*\\\\*'([^'\\n\\\\]{4,100})(?=\\\\*')`),
  form(
    'dentified DENTIFIED',
    `identified[ \\t]+(?:with[ \\t]+\\S+[ \\t]+)?by[ \\t]+(?:password[ \\t]+)?\\\\*['"]([^'"\\n\\\\]+)`,
    'gi',
  ),
  form(
    'assword ASSWORD',
    `p(?:assword|ASSWORD)(?:[ \\t]+[fF][oO][rR][^'"\\n]{0,10}['"][^\\n]{0,60}?=)?[ \\t]+(?:PASSWORD\\()?N?\\\\*'([^'\\n\\\\]+)`,
    'g',
  ),
  // .netrc, .pgpass, the settings of docker and npm
  form('machine', `${START}machine[ \\t]+\\S+\\s+login[ \\t]+\\S+\\s+password[ \\t]+([^\\s\\\\"']+)`),
  form(
    ':',
    `(?<=(?:^[+> -]{0,4}|\\\\[nr]|["'])[\\w.*-]{2,200}):(?:\\d{2,5}|\\*):[\\w.*-]{1,100}:[\\w.*-]{1,100}:([^\\s:\\\\"',)]{4,})(?=\\s|\\\\|$)`,
    'gm',
  ),
  form('auth', `"auth\\\\*"\\s*:\\s*\\\\*"([A-Za-z0-9+/]{8,}={0,2})`),
  form('_auth _password', `(?:_auth|_password)[ \\t]*=[ \\t]*"?([A-Za-z0-9+/=]{8,})`),
]

export function findInPlaces(text: string, into: Range[], holds: HasWord = holdsOf(text)): void {
  findForms(text, FORMS, into, holds)
}
