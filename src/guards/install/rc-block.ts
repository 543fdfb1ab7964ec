/**
 * A block of lines in a file that people edit: a shell's start-up file. Pure, and exact to the byte: removing the block
 * restores what was there before it was added.
 */

const BEGIN = '# >>> timewarp'
const END = '# <<< timewarp <<<'

/** What else was changed in the file; recorded in the block's first line, so that it can be undone. */
const REMARKS = { none: '', newline: ' (the line before had no end)', file: ' (there was no file)' } as const

/** The file with the block; `before` is undefined when there is no file. Adding it again replaces it. */
export function withBlock(before: Buffer | undefined, lines: string): Buffer {
  if (before !== undefined && findBlock(before)) return withBlock(withoutBlock(before), lines)
  const lacksEnd = before !== undefined && before.length > 0 && before.at(-1) !== 0x0a
  const remark = before === undefined ? REMARKS.file : lacksEnd ? REMARKS.newline : REMARKS.none
  const block = `${lacksEnd ? '\n' : ''}${BEGIN}${remark} >>>\n${lines}\n${END}\n`
  return Buffer.concat([before ?? Buffer.alloc(0), Buffer.from(block)])
}

/** The file without the block; undefined when the file did not exist before the block. */
export function withoutBlock(now: Buffer): Buffer | undefined {
  const found = findBlock(now)
  if (found === undefined) return now
  const rest = Buffer.concat([now.subarray(0, found.start), now.subarray(found.end)])
  return found.remark === REMARKS.file && rest.length === 0 ? undefined : rest
}

export const hasBlock = (now: Buffer | undefined): boolean => now !== undefined && findBlock(now) !== undefined

function findBlock(bytes: Buffer): { start: number; end: number; remark: string } | undefined {
  // One character per byte: nothing is decoded, so nothing can change.
  const text = bytes.toString('latin1')
  const start = text.startsWith(BEGIN) ? 0 : text.indexOf(`\n${BEGIN}`) + 1
  if (start === 0 && !text.startsWith(BEGIN)) return undefined
  const close = text.indexOf(`\n${END}`, start)
  if (close === -1) return undefined
  const line = text.slice(start, text.indexOf('\n', start))
  const remark = line.slice(BEGIN.length, line.lastIndexOf(' >>>'))
  const after = close + 1 + END.length
  const end = text[after] === '\n' ? after + 1 : after
  return { start: remark === REMARKS.newline ? start - 1 : start, end, remark }
}
