/** A text as one word of a command that a person copies into a shell: as it is, or in single quotes where a shell would read more into it. */
export const shellWord = (text: string): string =>
  /^[\w./@%+=:,-]+$/.test(text) ? text : `'${text.replaceAll("'", `'\\''`)}'`
