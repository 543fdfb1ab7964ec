import type { Range } from './range.ts'

/** A word begins here; the n of a line end that is itself quoted (\n) is none of it. */
const START = '(?:\\b|(?<=\\\\[nrt]))'
const QUOTE = '\\\\*["\']?'
const WORD = '([^\\s"\'`;|&<>\\\\]+)'
/** The rest of a command, as short as possible. */
const ON = '[^\\n|;]{0,300}?'

interface Form {
  /** One of these is in every text that the pattern matches. */
  readonly needles: readonly string[]
  /** The secret is its last group, and nothing stands behind it. */
  readonly pattern: RegExp
}

const form = (needles: string, pattern: string, flags = 'g'): Form => ({
  needles: needles.split(' '),
  pattern: new RegExp(pattern, flags),
})

const FORMS: readonly Form[] = [
  form(
    'curl',
    `${START}curl\\b${ON}[ \\t](?:-u|--user|--proxy-user|-U)[ \\t=]*${QUOTE}[^\\s:"'\`$]{1,100}:([^\\s"'\`\\\\]+)`,
  ),
  form('http', `${START}https?[ \\t]${ON}[ \\t]?(?:-a|--auth)[ \\t=]*${QUOTE}[^\\s:"'\`$]{1,100}:([^\\s"'\`\\\\]+)`),
  form(
    '-u --user --proxy-user',
    `[ \\t](?:-u|--user|--proxy-user)[ \\t=]+${QUOTE}[^\\s:"'\`$/]{1,100}:([^\\s"'\`\\\\/:]{4,})(?=\\\\*["'\\s]|$)`,
    'gm',
  ),
  form('mysql maria mycli', `${START}(?:mysql(?:dump|admin)?|mariadb(?:-dump)?|mycli)\\b${ON}[ \\t]-p${QUOTE}${WORD}`),
  form('sshpass', `${START}sshpass[ \\t]+-p[ \\t]*\\\\*["']([^"'\\n\\\\]+)`),
  form('sshpass', `${START}sshpass[ \\t]+-p[ \\t]*${WORD}`),
  form('redis-cli', `${START}redis-cli\\b${ON}[ \\t](?:-a|--pass)[ \\t]+${QUOTE}${WORD}`),
  form(
    'login',
    `${START}(?:docker|podman|buildah|helm|az|oc|skopeo|nerdctl)[ \\t]${ON}login\\b${ON}[ \\t]-p[ \\t]+${QUOTE}${WORD}`,
  ),
  form('zip 7z', `${START}(?:zip|unzip|7za?)\\b${ON}[ \\t]-[pP][ \\t]?${QUOTE}${WORD}`),
  form('htpasswd', `${START}htpasswd[ \\t]+-\\w*b\\w*[ \\t]+\\S+[ \\t]+\\S+[ \\t]+${QUOTE}${WORD}`),
  form('openssl', `${START}openssl\\b${ON}\\bpass:${WORD}`),
  form('ldap', `${START}ldap(?:search|modify|add|delete)\\b${ON}[ \\t]-w[ \\t]*${QUOTE}${WORD}`),
  form(
    'sudo login passwd',
    `${START}echo[ \\t]+(?:-n[ \\t]+)?${QUOTE}${WORD}(?=${QUOTE}[ \\t]*\\|[ \\t]*(?:sudo[ \\t]+-S|docker login|gh auth login|podman login|chpasswd|passwd))`,
  ),
  form('<<<', `(?:--with-token|--password-stdin|-S)[ \\t]*<<<[ \\t]*${QUOTE}${WORD}`),
  form('secret', `${START}gh[ \\t]+secret[ \\t]+set\\b${ON}[ \\t](?:-b|--body)[ \\t=]+${QUOTE}${WORD}`),
  // Words and numbers that only their name gives away
  form(
    'phrase mnemonic',
    `(?:pass ?phrase|seed phrase|recovery phrase|mnemonic)\\\\*["']?[ \\t]*(?:[:=]|is)[ \\t]*${QUOTE}((?:[a-z]{3,8}[ ,]+){3,23}[a-z]{3,8})\\b`,
    'gi',
  ),
  form(
    'PIN OTP 2FA MFA erification',
    `\\b(?:PIN|OTP|2FA|MFA|TOTP|[Vv]erification)(?: code)?\\b[ \\t:=]{1,4}(?:is )?(\\d{4,8})\\b`,
  ),
  form('ecovery ackup', `\\b(?:[Rr]ecovery|[Bb]ackup)[ _]codes?[ \\t:=]{1,4}([A-Za-z0-9]{4,}(?:-[A-Za-z0-9]{4,})+)`),
  // SQL
  form(
    'dentified DENTIFIED assword ASSWORD',
    `\\b(?:identified[ \\t]+(?:with[ \\t]+\\S+[ \\t]+)?by|(?:encrypted[ \\t]+)?password|set[ \\t]+password[^'"\\n]{0,80}=)[ \\t]+(?:password[ \\t]+)?\\\\*'([^'\\n\\\\]+)`,
    'gi',
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
export function findInCommands(text: string, into: Range[]): void {
  for (const { needles, pattern } of FORMS) {
    if (!needles.some((needle) => text.includes(needle))) continue
    for (const found of text.matchAll(pattern)) {
      const value = found[1] ?? ''
      const end = found.index + found[0].length
      if (value !== '' && !REFERENCE.test(value)) into.push({ start: end - value.length, end })
    }
  }
}
