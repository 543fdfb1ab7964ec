/**
 * Commands for which `-` may stand for standard input. The client, which does not load the catalogue, reads it for
 * them; a test compares the list with the catalogue.
 */
export const READERS: readonly string[] = ['call', 'edit', 'edit-lines', 'patch', 'write']
