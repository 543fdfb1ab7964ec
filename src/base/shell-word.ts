/**
 * A text as one word of a command that a person copies into a shell: unchanged, or in single quotes where a shell would
 * interpret it.
 */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
