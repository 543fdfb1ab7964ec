/** Flags before the command that take a value. */
const WITH_VALUE: ReadonlySet<string> = new Set(['-C', '--home'])

/** The command of a command line, found without parsing the rest. */
export const commandWord = (argv: readonly string[]): string | undefined =>
  commandWords(argv).find((word) => !word.startsWith('-'))

/** A command line without the flags that name the store and the workspace. */
export function commandWords(argv: readonly string[]): string[] {
  const words: string[] = []
  for (let at = 0; at < argv.length; at++) {
    const word = argv[at] as string
    if (WITH_VALUE.has(word)) at++
    else if (!word.startsWith('--home=')) words.push(word)
  }
  return words
}
