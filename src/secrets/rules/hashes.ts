import { type HasWord, holdsOf } from '../needles.ts'
import { all, type Range } from '../range.ts'

/** The beginning of a line, also in a diff, a citation or a quoted text. */
const LINE = '(?:(?<=^[+>| -]{0,4})|(?<=\\\\[nrt]|[\\t→"\'`(]))'

interface Form {
  /** Every text that the pattern matches contains one of these. */
  readonly needles: readonly string[]
  /** The hash is its last group, and nothing follows it. */
  readonly pattern: RegExp
}

const form = (needles: string, pattern: string, flags = 'g'): Form => ({
  needles: needles.split(' '),
  pattern: new RegExp(pattern, flags),
})

/**
 * Password hashes, in the formats in which systems store them. A plain digest does not count: it may be of anything.
 */
const FORMS: readonly Form[] = [
  // The format of crypt(3): $method$settings$salt$hash. The dollars may be doubled, as in compose files. `$LT$` comes
  // from the name of a function as compilers write it.
  form(
    '$',
    '(?!\\$(?:LT|GT|RF|BP|SP|C|u[0-9a-f]{2})\\$)(?<!_ZN[\\w$.]{0,200})(\\$\\$?(?:[a-z][a-z0-9-]{0,20}|\\d[a-z]?|[A-Z]{1,3})\\$(?=[^\\s$]*[$./\\d])[^\\s"\'`:\\\\,;|<>(){}]{2,40}[^\\s"\'`:\\\\;|<>(){}]{22,})',
  ),
  // The same with other signs: pbkdf2_sha256$…, scrypt:32768:8:1$…, grub.pbkdf2.sha512.10000.…, sha1:salt:hash
  form(
    'pbkdf2_ pbkdf2: scrypt: bcrypt_ argon2$ sha1$ sha256$ sha512$ md5$',
    '((?:pbkdf2|scrypt|bcrypt|argon2|sha\\d{1,3}|md5)(?:[_:-][\\w:-]{1,40})?\\$[\\w./+=-]{0,40}\\$[\\w./+=$-]{20,})',
  ),
  form('pbkdf2', '\\b(grub\\.pbkdf2\\.\\w+\\.\\d+\\.[0-9A-Fa-f.]{64,})'),
  form('sha1: sha256: sha512:', '\\b(sha(?:1|256|512):[0-9a-f]{8,32}:[0-9a-f]{40,128})\\b'),
  form('sha1: sha256: sha512:', '\\b(sha(?:1|256|512):\\d{3,7}:[A-Za-z0-9+/=]{12,}:[A-Za-z0-9+/=]{16,})'),
  form('admin root user guest', `${LINE}(?:admin|administrator|root|user|guest):([0-9a-f]{32,128})(?![\\w:])`, 'gim'),
  form('hashcat john', '\\b(?:hashcat|john)\\b[^\\n|;]{0,100}?[ \\t]([0-9a-f]{32,128})(?![\\w])'),
  form('SCRAM', '(SCRAM-SHA-\\d+\\$\\d+:[A-Za-z0-9+/=]{8,}\\$[A-Za-z0-9+/=]{16,}:[A-Za-z0-9+/=]{16,})'),
  // LDAP, htpasswd
  form('{', '(\\{(?:S?SHA\\d{0,3}|S?MD5|CRYPT|PBKDF2[\\w-]*|ARGON2)\\}[A-Za-z0-9+/$.=]{16,})', 'gi'),
  form('{', '\\{(?:PLAIN|CLEARTEXT)\\}([^\\s:"\'\\\\]+)'),
  // MySQL, PostgreSQL, SQL Server, Oracle, Redis
  form('*', '(?<![\\w*])(\\*[0-9A-F]{40})(?![\\w*])'),
  form('md5', '(?<![\\w/.-])(md5[0-9a-f]{32})(?![0-9a-z])'),
  form('0x0', '(0x0[12]00[0-9A-Fa-f]{48,})'),
  form('S:', "'(S:[0-9A-F]{60}[^'\\s]*)"),
  form('#', '\\bon[ \\t]+#([0-9a-f]{64})\\b'),
  // Windows: name:number:LM:NT:::
  form(':::', '(?<=:\\d{1,6}:)([0-9A-Fa-f]{32}:[0-9A-Fa-f]{32})(?=:::)'),
  form(
    'winrm mapexec netexec nxc freerdp pth- impacket exec.py',
    '(?:evil-winrm|crackmapexec|netexec|nxc|xfreerdp|pth-\\w+|impacket-\\w+|\\w+exec\\.py)\\b[^\\n|;]{0,200}?[ \\t](?:-H|-hashes|--hashes)[ \\t]+((?:[0-9A-Fa-f]{32})?:?[0-9A-Fa-f]{32})',
  ),
  form(
    'ash NTLM',
    '(?:\\b|(?<=\\\\n))(?:ntlm|nt|lm)(?:[ _-]?hash)?\\\\*["\']?[ \\t]*[:=][ \\t]*\\\\*["\']?([0-9a-f]{32})\\b',
    'gi',
  ),
  form('::', '(?<=\\w::[\\w.-]{0,60}:[0-9a-fA-F]{16}:)([0-9a-fA-F]{32}:[0-9a-fA-F]{32,})'),
  // A line of passwd with the hash in it; one of htdigest
  form(':', `:(?=[0-9a-f]{32}:\\d+:)(?<=${LINE}[a-z_][\\w.-]{0,31}:)([0-9a-f]{32})`, 'gm'),
  form(':', `:(?=[0-9a-f]{32}(?![\\w:]))(?<=${LINE}[A-Za-z_][\\w.-]{0,31}:[A-Z][\\w .-]{0,40}:)([0-9a-f]{32})`, 'gm'),
  // ASP.NET, network devices
  form('AQAAAA', '(?<![A-Za-z0-9+/])(AQAAAA[A-Za-z0-9+/]{60,}={0,2})'),
  form(
    'assword ecret ey-string',
    '\\b(?:password|secret|key-string)[ \\t]+[0-9][ \\t]+([0-9A-F]{12,}|\\$\\d\\$\\S{20,})',
  ),
]

export function findHashes(text: string, into: Range[], holds: HasWord = holdsOf(text)): void {
  for (const { needles, pattern } of FORMS) {
    if (!needles.some(holds)) continue
    for (const found of all(pattern, text)) {
      const hash = found[1] ?? ''
      const end = found.index + found[0].length
      if (/\d/.test(hash)) into.push({ start: end - hash.length, end })
    }
  }
}
