/** Flags before the command that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-C', '--home'])

/** The command of a command line, found without reading the rest of it. */
export function commandWord(argv: readonly string[]): string | undefined {
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (WITH_VALUE.has(word)) at++
    else if (!word.startsWith('-')) return word
  }
  return undefined
}
