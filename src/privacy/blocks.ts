import type { Range } from './range.ts'

/** Where a private key begins, in any of its wrappings. Its lines may end in `\n`, as text in JSON does. */
const BEGIN = /-----BEGIN[ ]?(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
const END = /-----END[ ]?(?:[A-Z0-9]+ ){0,3}PRIVATE KEY(?: BLOCK)?-----/g
/** What the inside of a key is written with, its headers and line ends included, however often quoted or cited. */
const BODY =
  /(?:[A-Za-z0-9+/=]{16,}|\\+[nr]|[\s"'+>|\\#*]|-(?!----)|(?:Proc-Type|DEK-Info|Version|Comment|Hash):[^\n\\]*|[A-Za-z0-9+/=]{1,15}(?=[\s\\"']|$))*/y
const PUTTY = /Private-Lines: \d+(?:\s|\\+[nr])+((?:[A-Za-z0-9+/=]+(?:\s|\\+[nr])*)+)/g

/** Whole private keys, from the first line to the last; one that is cut off, as far as it goes. */
export function findBlocks(text: string, into: Range[]): void {
  if (text.includes('PRIVATE KEY')) findPem(text, into)
  for (const putty of text.matchAll(PUTTY)) {
    const end = putty.index + putty[0].trimEnd().length
    into.push({ start: end - (putty[1]?.trimEnd().length ?? 0), end })
  }
}

function findPem(text: string, into: Range[]): void {
  const begins = [...text.matchAll(BEGIN)]
  const ends = [...text.matchAll(END)].map((end) => ({ start: end.index, end: end.index + end[0].length }))
  let next = 0
  for (const [i, begin] of begins.entries()) {
    const inside = begin.index + begin[0].length
    const limit = begins[i + 1]?.index ?? Number.POSITIVE_INFINITY
    while ((ends[next]?.start ?? Number.POSITIVE_INFINITY) < inside) next++
    const end = ends[next]
    if (end && end.start < limit) into.push({ start: begin.index, end: end.end })
    else {
      BODY.lastIndex = inside
      const body = (BODY.exec(text)?.[0] ?? '').trimEnd()
      if (body.length >= 40) into.push({ start: begin.index, end: inside + body.length })
    }
  }
}
