import { bytesFromName } from '../../base/quote.ts'

const ESCAPES: Readonly<Record<number, string>> = {
  7: '\\a',
  8: '\\b',
  9: '\\t',
  10: '\\n',
  11: '\\v',
  12: '\\f',
  13: '\\r',
  34: '\\"',
  92: '\\\\',
}

/** `prefix` and `path` as git writes them into a patch; always ASCII. Quoted unless every character is safe. */
export function gitName(prefix: string, path: string): string {
  const bytes = [...bytesFromName(path)]
  const escaped = bytes.map(escapeByte).join('')
  return escaped.length === bytes.length ? prefix + path : `"${prefix}${escaped}"`
}

const escapeByte = (byte: number): string =>
  ESCAPES[byte] ?? (byte < 0x20 || byte >= 0x7f ? `\\${byte.toString(8).padStart(3, '0')}` : String.fromCharCode(byte))

/** The name in a `---` or `+++` line. A TAB after a name with a space marks its end. */
export const headerName = (name: string): string => (name.includes(' ') ? `${name}\t` : name)
