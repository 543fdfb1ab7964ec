/** The folders of `src`, from the top layer to the bottom. A folder may import only from rows below its own. */
export const LAYERS: readonly (readonly string[])[] = [
  ['bin', 'library.ts'],
  ['cli', 'mcp', 'http'],
  ['daemon'],
  ['client'],
  ['guards'],
  ['tools'],
  ['app'],
  ['travel'],
  ['edits'],
  ['git'],
  ['timeline'],
  ['records'],
  ['diff'],
  ['shell'],
  ['secrets'],
  ['store'],
  ['config'],
  ['host'],
  ['protocol'],
  ['schema'],
  ['base'],
]

/** The same within folders that are large enough to have layers of their own. */
export const INNER_LAYERS: Readonly<Record<string, readonly (readonly string[])[]>> = {
  timeline: [
    ['retention'],
    ['integrity'],
    ['restore'],
    ['capture'],
    ['attribution'],
    ['history'],
    ['scan'],
    ['workspace'],
  ],
}

/** Folders that only compute: they read no file, no clock and no random number, and keep nothing between calls. */
export const PURE: readonly string[] = ['base', 'schema', 'protocol', 'diff', 'edits', 'shell']
