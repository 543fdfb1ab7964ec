/**
 * Commands for which `-` may stand for standard input. The client, which knows no other command, reads it for them; a
 * test holds the list against the catalogue.
 */
export const READERS: readonly string[] = ['call', 'edit', 'edit-lines', 'patch', 'write']
