import { type Holds, holdsOf } from '../needles.ts'
import { all, type Range } from '../range.ts'
import { isStandIn } from './values.ts'

/**
 * A pattern that begins with this begins with a word. Whether one begins where it matches is looked at afterwards: a search for a
 * plain word is many times quicker.
 */
const START = '(?:)'
const QUOTE = '\\\\*["\']?'
const WORD = '([^\\s"\'`;|&<>\\\\]+)'
/** No word list for phrases has these; every sentence has one of them. */
const FUNCTION_WORDS =
  '(?:the|for|and|only|once|per|with|when|that|this|from|not|are|was|has|can|must|will|your|you|asked|shown|used|needed|stored|required)\\b'
/** The rest of a command, as short as possible. */
const ON = '[^\\n|;]{0,300}?'

interface Form {
  /** One of these is in every text that the pattern matches. */
  readonly needles: readonly string[]
  /** The secret is its last group, and nothing stands behind it. */
  readonly pattern: RegExp
  readonly isWord: boolean
}

const form = (needles: string, pattern: string, flags = 'g'): Form => ({
  needles: needles.split(' '),
  pattern: new RegExp(
    pattern.replaceAll(START, () => ''),
    flags,
  ),
  isWord: pattern.startsWith(START),
})

/** A word begins here; the n of a line end that is itself quoted (\n) is none of it. */
function isStart(text: string, at: number): boolean {
  if (!/\w/.test(text[at - 1] ?? ' ')) return true
  return text[at - 2] === '\\' && /[nrt]/.test(text[at - 1] ?? '')
}

const FORMS: readonly Form[] = [
  form(
    'curl',
    `${START}curl\\b${ON}[ \\t](?:-u|--user|--proxy-user|-U)[ \\t=]*${QUOTE}[^\\s:"'\`$]{1,100}:([^\\s"'\`\\\\]+)`,
  ),
  form('http', `${START}https?[ \\t]${ON}[ \\t]?(?:-a|--auth)[ \\t=]*${QUOTE}[^\\s:"'\`$]{1,100}:([^\\s"'\`\\\\]+)`),
  form(
    '-u --user --proxy-user',
    `[ \\t](?:-u|--user|--proxy-user)[ \\t=]+${QUOTE}[^\\s:"'\`$/]{1,100}:(?!\\d+\\b)([^\\s"'\`\\\\/:]{4,})(?=\\\\*["'\\s]|$)`,
    'gm',
  ),
  form(
    'mysql maria mycli',
    `${START}(?:mysql(?:dump|admin)?|mariadb(?:-dump)?|mycli)\\b${ON}[ \\t]${QUOTE}-p${QUOTE}${WORD}`,
  ),
  form('sshpass', `${START}sshpass[ \\t]+-p[ \\t]*\\\\*["']([^"'\\n\\\\]+)`),
  form('sshpass', `${START}sshpass[ \\t]+-p[ \\t]*${WORD}`),
  form('redis-cli', `${START}redis-cli\\b${ON}[ \\t](?:-a|--pass)[ \\t]+${QUOTE}${WORD}`),
  form(
    'login',
    `login\\b(?<=(?:docker|podman|buildah|helm|az|oc|skopeo|nerdctl)[ \\t][^\\n|;]{0,40}login)${ON}[ \\t]-p[ \\t]+${QUOTE}${WORD}`,
  ),
  form('zip', `${START}(?:zip|unzip)\\b${ON}[ \\t]-P[ \\t]?${QUOTE}${WORD}`),
  form('7z', `${START}7za?\\b${ON}[ \\t]-p${QUOTE}${WORD}`),
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
  form('net', `${START}net[ \\t]+(?:user[ \\t]+\\S+|use[ \\t]${ON}/user:\\S+)[ \\t]+${QUOTE}(?![/-])${WORD}`),
  form('alias', `${START}mc[ \\t]+alias[ \\t]+set[ \\t]+\\S+[ \\t]+\\S+[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('user', `${START}rabbitmqctl[ \\t]+(?:add_user|change_password)[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('AUTH', `(?:^|[>"'\\n][ \\t]*)AUTH[ \\t]+(?:\\w+[ \\t]+)?${QUOTE}(?=[^\\s"']*\\d)${WORD}`, 'gm'),
  form('SecureString', `ConvertTo-SecureString[ \\t]+(?:-String[ \\t]+)?\\\\*["']([^"'\\n\\\\]+)`),
  form('SETUSER', `SETUSER[ \\t]+[^\\n]{0,100}?[ \\t]>([^\\s"'\\\\]{4,})`),
  form('assword', `assword[^\\n]{0,20}?[:=][ \\t]*${QUOTE}([a-z0-9]{4}(?: [a-z0-9]{4}){3})\\b`),
  form(
    'chpasswd',
    `${START}(?:echo|printf)[ \\t]+(?:-\\w+[ \\t]+)?\\\\*["']?[\\w.-]+:([^\\s"'\\\\]+)(?=[^|\\n]{0,10}\\|[ \\t]*(?:sudo[ \\t]+)?chpasswd)`,
  ),
  form('XAUTH EAP', `(?:XAUTH|EAP)[ \\t]+\\\\*"([^"\\n\\\\]+)`),
  form('createUser', `createUser[ \\t][^\\n]{0,60}?[ \\t](?:SHA\\S*|MD5)[ \\t]+${QUOTE}${WORD}`),
  form('createUser', `createUser[ \\t][^\\n]{0,120}?[ \\t](?:AES|DES)[ \\t]+${QUOTE}${WORD}`),
  form('http-basic', `http-basic\\.\\S+[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('security', `${START}security[ \\t]${ON}[ \\t]-[pw][ \\t]+${QUOTE}${WORD}`),
  form(
    'base64',
    `${START}(?:echo|printf)[ \\t]+(?:-n[ \\t]+)?${QUOTE}[\\w.@-]+:(?=[^\\s"']*\\d)([^\\s"'|\\\\]+)(?=${QUOTE}[ \\t]*\\|[ \\t]*base64)`,
  ),
  form('wpa_passphrase', `wpa_passphrase[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('community', `r[ow]community6?[ \\t]+${QUOTE}${WORD}`),
  form('radtest', `${START}radtest[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('kinit', `${START}echo[ \\t]+(?:-n[ \\t]+)?${QUOTE}${WORD}(?=${QUOTE}[ \\t]*\\|[ \\t]*kinit)`),
  form('rar', `${START}rar\\b${ON}[ \\t]-h?p${QUOTE}${WORD}`),
  form('keygen', `${START}ssh-keygen\\b${ON}[ \\t]-[NP][ \\t]+${QUOTE}${WORD}`),
  form('snmp', `${START}snmp\\w+\\b${ON}[ \\t]-A[ \\t]+${QUOTE}${WORD}`),
  form('snmp', `${START}snmp\\w+\\b${ON}[ \\t]-X[ \\t]+${QUOTE}${WORD}`),
  form('sqlplus CONNECT', `${START}(?:sqlplus\\b${ON}|CONNECT)[ \\t]${QUOTE}[\\w.]{1,60}/\\\\*["']?([^\\s"'@\\\\/]+)`),
  form('thin:', `:thin:[\\w.]{1,60}/([^\\s"'@\\\\/]+)`),
  form('requirepass masterauth', `${START}(?:requirepass|masterauth)[ \\t]+${QUOTE}${WORD}`),
  form('send', `assword[^\\n]{0,40}(?:\\r?\\n|\\\\+n)[+>]?[ \\t]*send(?:[ \\t]+--)?[ \\t]+\\\\*["']([^"'\\n\\\\]+)`),
  form('send', `${START}send(?:[ \\t]+--)?[ \\t]+\\\\*["'](?=[^"'\\s]*\\d)([^"'\\s\\\\]+)(?=\\\\+[rn])`),
  form('useradd', `useradd[ \\t]+\\S+[ \\t]+-p[ \\t]+${QUOTE}${WORD}`),
  form('openssl', `${START}openssl[ \\t]+passwd\\b(?:[ \\t]+-\\w+)*[ \\t]+${QUOTE}(?!-)${WORD}`),
  form('wandb', `${START}wandb[ \\t]+login[ \\t]+(?:--?\\S+[ \\t]+)*([0-9a-f]{40})`),
  form('login', `\\blogin[ \\t]+${QUOTE}(?=\\S*\\d)([A-Za-z0-9_.-]{24,})(?=\\s|$)`),
  form('bundle', `${START}bundle[ \\t]+config\\b${ON}[ \\t][\\w.@-]{1,60}:([A-Za-z0-9_-]{8,})`),
  form('authtoken', `add-authtoken[ \\t]+${QUOTE}${WORD}`),
  // Two literals handed to what logs in: the second is the secret
  form(
    'Auth Cred Client Key',
    `(?:Auth|Cred|Client|Key)\\w*\\([ \\t]*\\\\*["'][^"'\\n]{4,100}?["'][ \\t]*,[ \\t]*\\\\*["'](?=[^"']*\\d)([A-Za-z0-9+/_=-]{30,})(?=\\\\*["'])`,
  ),
  // The query of an address: a code that opens something
  form('code=', `(?:[?&+"'\\s]|^|\\\\n)code=([\\w=-]{20,})`),
  form('Fernet', `Fernet\\([ \\t]*b?\\\\*["']([\\w=-]{40,})`),
  // The cookies that curl and browsers keep in a file
  form(
    'TRUE FALSE',
    `(?:\\t|\\\\t)(?:TRUE|FALSE)(?:\\t|\\\\t)\\d+(?:\\t|\\\\t)[^\\t\\n\\\\]+(?:\\t|\\\\t)([^\\s\\\\"']+)`,
  ),
  // The secret that belongs to an id
  form(
    'AKIA ASIA LTAI AKID GOOG1E AC SK',
    `${START}(?:(?:AKIA|ASIA)[A-Z0-9]{16}|LTAI[A-Za-z0-9]{12,30}|AKID[A-Za-z0-9]{28,40}|GOOG1E[A-Z0-9]{40,60}|(?:AC|SK)[a-f0-9]{32})\\b(?:[^A-Za-z0-9+/\\n]{1,8}|/)(?=[A-Za-z+/_-]*\\d)([A-Za-z0-9+/_-]{30,64})(?![A-Za-z0-9+/=_-])`,
  ),
  form('htpasswd', `${START}htpasswd[ \\t]+-\\w*b\\w*[ \\t]+\\S+[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('openssl', `${START}openssl\\b${ON}\\bpass:${WORD}`),
  form('openssl', `${START}openssl[ \\t]+enc\\b${ON}[ \\t]-k[ \\t]+${QUOTE}${WORD}`),
  form('ldap', `${START}ldap\\w{3,8}\\b${ON}[ \\t]-w[ \\t]*${QUOTE}${WORD}`),
  form(
    'echo',
    `${START}echo[ \\t]+(?:-n[ \\t]+)?${QUOTE}${WORD}(?=${QUOTE}[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+-S|(?:sudo[ \\t]+)?(?:su|kinit|cryptsetup|zfs|smbpasswd|chpasswd|passwd)\\b|\\S+[ \\t]+(?:auth[ \\t]+)?(?:login|secret)\\b|[^\\n|]{0,40}password_stdin))`,
  ),
  form(
    '<<<',
    `(?:--with-token|--password-stdin|-S\\b[^\\n<]{0,60}|(?:passwd|secret|PASSWORD|PASS|TOKEN|KEY|SECRET)\\b[^\\n<]{0,60})[ \\t]*<<<[ \\t]*${QUOTE}${WORD}`,
  ),
  form('secret', `${START}gh[ \\t]+secret[ \\t]+set\\b${ON}[ \\t](?:-b|--body)[ \\t=]+${QUOTE}${WORD}`),
  // Words and numbers that only their name gives away
  form(
    'seed SEED phrase PHRASE Phrase nemonic NEMONIC 助记词',
    `(?:pass ?phrase|seed(?: phrase)?|recovery phrase|mnemonic|助记词)\\\\*["']?(?:[ \\t]+(?:for|of)[ \\t][^\\n.:;]{1,40}?)?[ \\t]*(?:[:=：]|is|[是为])[ \\t]*${QUOTE}((?:(?!${FUNCTION_WORDS})[a-z]{3,8}[ ,]+){3,23}(?!${FUNCTION_WORDS})[a-z]{3,8})\\b`,
    'gi',
  ),
  form(
    'PIN OTP 2FA MFA erification code',
    `${START}(?:(?:PIN|OTP|2FA|MFA|TOTP|[Vv]erification)(?: code)?|(?:[Uu]nlock|[Ss]ecurity|[Ll]ogin|[Aa]ccess|[Cc]onfirmation) code)\\b[ \\t:=]{1,4}(?:is )?(\\d{4,8})\\b`,
  ),
  form('ecovery ackup', `\\b(?:[Rr]ecovery|[Bb]ackup)[ _]codes?[ \\t:=]{1,4}([A-Za-z0-9]{4,}(?:-[A-Za-z0-9]{4,})+)`),
  // SQL
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
  // .netrc, .pgpass, the settings of docker and of npm
  form('machine', `${START}machine[ \\t]+\\S+\\s+login[ \\t]+\\S+\\s+password[ \\t]+([^\\s\\\\"']+)`),
  form(
    ':',
    `(?<=(?:^[+> -]{0,4}|\\\\[nr]|["'])[\\w.*-]{2,200}):(?:\\d{2,5}|\\*):[\\w.*-]{1,100}:[\\w.*-]{1,100}:([^\\s:\\\\"',)]{4,})(?=\\s|\\\\|$)`,
    'gm',
  ),
  form('auth', `"auth\\\\*"\\s*:\\s*\\\\*"([A-Za-z0-9+/]{8,}={0,2})`),
  form('_auth _password', `(?:_auth|_password)[ \\t]*=[ \\t]*"?([A-Za-z0-9+/=]{8,})`),
]

const REFERENCE = /^\$|^<|^\{|^%|^\*|^-|REDACTED|^(?:stdin|file|env):?/

/** Secrets that only their place in a command gives away. */
export function findInCommands(text: string, into: Range[], holds: Holds = holdsOf(text)): void {
  for (const { needles, pattern, isWord } of FORMS) {
    if (!needles.some(holds)) continue
    for (const found of all(pattern, text)) {
      if (isWord && !isStart(text, found.index)) continue
      const value = found[1] ?? found[2] ?? ''
      const end = found.index + found[0].length
      if (value !== '' && !REFERENCE.test(value) && !isStandIn(value)) into.push({ start: end - value.length, end })
    }
  }
}
