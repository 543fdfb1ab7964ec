import { all, type Range } from '../range.ts'

/** The beginning of a private key, in any format. Its lines may end in `\n`, as in JSON. */
const BEGIN = /----[- ]BEGIN[ ]?(?:[A-Za-z0-9]+ ){0,3}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)[- ]----/g
const END = /----[- ]END[ ]?(?:[A-Za-z0-9]+ ){0,3}(?:PRIVATE KEY(?: BLOCK)?|Static key V1)[- ]----/g
/** The characters inside a key, including headers and line ends, however often quoted or cited. */
const BODY =
  /(?:[A-Za-z0-9+/=]{16,}|\\+[nr]|[\s"'+>|\\#*]|-(?!----)|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]*|[A-Za-z0-9+/=]{1,15}(?=[\s\\"']|$))*/y
const LONGEST_BODY = 8 * 1024
const PUTTY = /Private-Lines: \d+(?:[\s>]|\\+[nr])+((?:[A-Za-z0-9+/=]+(?:[\s>]|\\+[nr])*)+)/g

/** What a key contains and a placeholder does not. */
const INSIDE = /[A-Za-z0-9+/=]{16,}/
/** The end of a key whose beginning is missing. */
const BODY_BEFORE = /(?:[A-Za-z0-9+/=]{16,}(?:\s|\\+[nr]|["'+>|])+)+$/
/** A key that was encoded as a whole, also over several lines. */
const ENCODED = /LS0tLS1CRUdJTi[A-Za-z0-9+/]{20,}={0,2}(?:(?:\r?\n|\\+[nr])+[+>| \t]*[A-Za-z0-9+/]{20,}={0,2})*/g

/** Complete private keys, from the first line to the last; a truncated key up to its end. */
export function findBlocks(text: string, into: Range[]): void {
  if (text.includes('PRIVATE KEY') || text.includes('Static key')) findPem(text, into)
  if (text.includes('LS0tLS1CRUdJTi')) findEncoded(text, into)
  for (const putty of all(PUTTY, text)) {
    const end = putty.index + putty[0].trimEnd().length
    into.push({ start: end - (putty[1]?.trimEnd().length ?? 0), end })
  }
}

function findEncoded(text: string, into: Range[]): void {
  for (const { index, 0: found } of all(ENCODED, text))
    if (Buffer.from(found.slice(0, 60), 'base64').toString('latin1').includes('PRIVATE KEY'))
      into.push({ start: index, end: index + found.length })
}

function findPem(text: string, into: Range[]): void {
  const begins = all(BEGIN, text)
  const ends = all(END, text).map((end) => ({ start: end.index, end: end.index + end[0].length }))
  const [first] = ends
  if (first && first.start < (begins[0]?.index ?? Number.POSITIVE_INFINITY)) {
    const body = BODY_BEFORE.exec(text.slice(Math.max(0, first.start - LONGEST_BODY), first.start))?.[0]
    if (body !== undefined && body.length >= 40) into.push({ start: first.start - body.length, end: first.end })
  }
  let next = 0
  for (const [i, begin] of begins.entries()) {
    const inside = begin.index + begin[0].length
    const limit = begins[i + 1]?.index ?? Number.POSITIVE_INFINITY
    while ((ends[next]?.start ?? Number.POSITIVE_INFINITY) < inside) next++
    const end = ends[next]
    if (end && end.start < limit) {
      if (INSIDE.test(text.slice(inside, end.start))) into.push({ start: begin.index, end: end.end })
    } else {
      BODY.lastIndex = inside
      const body = (BODY.exec(text)?.[0] ?? '').trimEnd()
      if (body.length >= 40) into.push({ start: begin.index, end: inside + body.length })
    }
  }
}
