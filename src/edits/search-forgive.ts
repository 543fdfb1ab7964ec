/**
 * The ways in which a search text may differ from the text in a file.
 *
 * To forgive a difference is to normalise both texts so that it disappears. No line end is ever added or lost by that,
 * so line numbers stay correct. Every pattern takes linear time.
 */
const FORGIVE = {
  unicode_form: (text: string) => text.normalize('NFC'),
  line_ends: (text: string) => text.replaceAll('\r\n', '\n'),
  // The lookbehind makes a long run of spaces match from its first one only.
  trailing_spaces: (text: string) => text.replaceAll(/(?<![^\S\r\n])[^\S\r\n]+(?=\r?(?:\n|$))/g, ''),
  indentation: (text: string) => text.replaceAll(/^[^\S\r\n]+(?=\S)/gm, ''),
  white_space: (text: string) => text.replaceAll(/(?<=\S)[^\S\r\n]+(?=\S)/g, ''),
  quotes: (text: string) => text.replaceAll(/[‘’‚‛′`´“”„‟″«»]/g, '"').replaceAll("'", '"'),
  dashes: (text: string) => text.replaceAll(/[‐‑‒–—―−]/g, '-'),
  letter_case: (text: string) => text.toLowerCase(),
}
export type TextDifference = keyof typeof FORGIVE

const DIFFERENCES = Object.keys(FORGIVE) as TextDifference[]

/** The text with all differences forgiven, except one if it is named. */
export const forgive = (text: string, but?: TextDifference): string =>
  DIFFERENCES.reduce((forgiven, kind) => (kind === but ? forgiven : FORGIVE[kind](forgiven)), text)

/** The differences that must be forgiven for `search` to be in `text`. It must be there when all of them are. */
export const differencesOf = (search: string, text: string): TextDifference[] =>
  DIFFERENCES.filter((kind) => !forgive(text, kind).includes(forgive(search, kind)))
