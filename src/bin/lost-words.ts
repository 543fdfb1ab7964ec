import { nameFromBytes, outPath } from '../base/quote.ts'
import { readFile } from '../host/files/fs.ts'

/**
 * A word of the command line that is not UTF-8, quoted as git does it. Node replaces its bytes by other characters, so
 * it would name another file. Undefined when there is none, or the system does not provide the bytes.
 */
export function lostWord(argv: readonly string[]): string | undefined {
  if (!argv.some((word) => word.includes('\ufffd'))) return undefined
  const line = readFile('/proc/self/cmdline')
  if (line === undefined) return undefined
  return wordsIn(line)
    .slice(-argv.length)
    .find((word) => !word.isWellFormed())
}

/** Each word ends in a zero byte. Bytes that are not UTF-8 become lone surrogates. */
const wordsIn = (line: Uint8Array): string[] => nameFromBytes(line).split('\0').slice(0, -1)

export const lostWordProblem = (word: string): string =>
  `${outPath(word)} is not UTF-8, which the words of a command have to be. ` +
  'Give a path in this form, quotes and all; give contents through standard input.'
