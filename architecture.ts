/** Rooms from the top of the house to the bottom. A room may import only from rows below its own. */
export const ROWS: readonly (readonly string[])[] = [
  ['bin', 'library.ts', 'diff.ts'],
  ['cli', 'mcp', 'http', 'a2a'],
  ['daemon'],
  ['guards'],
  ['tools'],
  ['workshop'],
  ['remotes', 'travel', 'memo'],
  ['edits'],
  ['timeline'],
  ['records', 'privacy'],
  ['store'],
  ['host'],
  ['protocol'],
  ['schema'],
  ['base'],
]
