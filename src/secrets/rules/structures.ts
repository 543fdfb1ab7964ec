import { all, type Range } from '../range.ts'
import { isStandIn } from './values.ts'

/** A line end, also an escaped one, and what a diff or a citation puts before the next line. */
const NEXT = '(?:\\r?\\n|\\\\+n)[+> -]?(?:[ \\t]*\\d{1,6}(?:[\\t→]|\\\\+t))?'

/** Secrets identified by the structure of a document. */
export function findInStructures(text: string, into: Range[]): void {
  if (text.includes('kty')) findInJwk(text, into)
  if (text.includes('Secret')) findInManifests(text, into)
  if (JSON_MANIFEST.test(text)) findInJsonManifests(text, into)
  if (text.includes('<input')) findInInputs(text, into)
  if (STATE.test(text)) findInState(text, into)
  for (const found of all(BYTES, text)) into.push({ start: found.index + 1, end: found.index + found[0].length - 1 })
}

const STATE = /random_|_password|"sensitive|"SecureString/

/** Terraform state: the result of a resource that generates passwords, and outputs marked as sensitive. */
const MADE =
  /\\*"(?:random_(?:password|string)|[a-z]{1,40}_(?:application|service_principal|user)_password)\\*"[^]{0,600}?\\*"?(?:result|value)\\*"?\s*[:=]\s*\\*"([^"\\\n]{4,})/g
const SENSITIVE =
  /"sensitive\\*"\s*:\s*true(?:(?![{}])[^]){0,200}?"value\\*"\s*:\s*\\*"([^"\\\n]{4,})|"value\\*"\s*:\s*\\*"([^"\\\n]{4,})(?=(?:(?![{}])[^]){0,200}?"sensitive\\*"\s*:\s*true)/g

/** The answer of a secret store: `"Type": "SecureString", "Value": "…"` */
const SECURE =
  /"SecureString\\*"(?:(?![{}])[^]){0,300}?"Value\\*"\s*:\s*\\*"([^"\\\n]{4,})|"Value\\*"\s*:\s*\\*"([^"\\\n]{4,})(?=(?:(?![{}])[^]){0,300}?"SecureString)/g

function findInState(text: string, into: Range[]): void {
  for (const found of [...all(MADE, text), ...all(SENSITIVE, text), ...all(SECURE, text)]) {
    const value = found[1] ?? found[2] ?? ''
    const end = found.index + found[0].length
    if (!isStandIn(value)) into.push({ start: end - value.length, end })
  }
}

/** The value of a password input, whatever the order of its attributes. */
const INPUT = /<input\b[^<>\n]{0,300}>/g
const IS_PASSWORD = /(?:type|name|id)=\\*["'](?:password|passwd|pw)\\*["']/
const IN_FIELD = /[ \t]value=\\*["']([^"'\\{}<>$]{4,})/

function findInInputs(text: string, into: Range[]): void {
  for (const { index, 0: input } of all(INPUT, text)) {
    const value = IS_PASSWORD.test(input) ? IN_FIELD.exec(input) : null
    if (value === null) continue
    const end = index + value.index + value[0].length
    into.push({ start: end - (value[1]?.length ?? 0), end })
  }
}

/** The private parts of a JSON web key. */
const PRIVATE_PART = /(?:(?<![\w$])|(?<=\\n))(?:d|p|q|dp|dq|qi|k)\\*["']?\s*:\s*\\*["']?([\w-]{32,})/g
/** Every key names its type, before its parts or after them. */
const NEAR = 3000

function findInJwk(text: string, into: Range[]): void {
  for (const found of all(PRIVATE_PART, text)) {
    const end = found.index + found[0].length
    const around = text.slice(Math.max(0, found.index - NEAR), end + NEAR)
    if (/kty\\*["']?\s*:/.test(around)) into.push({ start: end - (found[1]?.length ?? 0), end })
  }
}

/** Sixty-four bytes as numbers: an Ed25519 key pair, as wallets write it. */
const BYTES = /\[(?:\s*\d{1,3}\s*,){63}\s*\d{1,3}\s*\]/g

/** `{"kind":"Secret","data":{…}}` */
const JSON_MANIFEST = /"kind\\*"\s*:\s*\\*"Secret\\*"|"stringData\\*"\s*:/
const JSON_DATA = /"(?:data|stringData)\\*"\s*:\s*\{([^{}]*)\}/g
const JSON_ENTRY = /\\*":\s*\\*"([^"\\]+)/g

function findInJsonManifests(text: string, into: Range[]): void {
  for (const data of all(JSON_DATA, text)) {
    const at = data.index + data[0].length - 1 - (data[1]?.length ?? 0)
    for (const { index, 0: whole, 1: value = '' } of all(JSON_ENTRY, data[1] ?? ''))
      into.push({ start: at + index + whole.length - value.length, end: at + index + whole.length })
  }
}

/** The data of a Kubernetes secret: every value, whatever its name. */
const MANIFEST = new RegExp(`(?<=^|[\\n"'\`+>\\t→]|\\\\[nt]|[ -])kind:[ \\t]*["']?Secret["']?(?=\\s|\\\\|$)`, 'g')
const DATA = new RegExp(`${NEXT}([ \\t]*)(?:data|stringData):[ \\t]*((?:${NEXT}\\1[ \\t]+[^\\n\\\\]*)+)`, 'g')
const ENTRY = /[\w.-]+:[ \t]+(?![|>][-+]?[ \t]*(?:$|\n|\\))(["']?)([^\s"'\\]+)\1/g
const LONGEST_MANIFEST = 20_000

function findInManifests(text: string, into: Range[]): void {
  let done = -1
  for (const manifest of all(MANIFEST, text)) {
    if (manifest.index < done) continue
    const from = Math.max(0, text.lastIndexOf('---', manifest.index), manifest.index - LONGEST_MANIFEST)
    const next = text.indexOf('---', manifest.index)
    const part = text.slice(from, next === -1 ? manifest.index + LONGEST_MANIFEST : next)
    done = from + part.length
    for (const data of all(DATA, part)) findEntries(data[2] ?? '', from + data.index + data[0].length, into)
  }
}

function findEntries(entries: string, end: number, into: Range[]): void {
  for (const entry of all(ENTRY, entries)) {
    const value = entry[2] ?? ''
    const at = end - entries.length + entry.index + entry[0].length - (entry[1]?.length ?? 0)
    if (!/^[${<*]/.test(value)) into.push({ start: at - value.length, end: at })
  }
}
