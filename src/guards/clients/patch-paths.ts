/** The lines of a patch that name files: `*** Update File: src/a.ts`. */
const NAMED = /^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\r?$/gm

/** The files that a patch in the form of `apply_patch` touches. */
export const patchPaths = (patch: string): string[] => [
  ...new Set([...patch.matchAll(NAMED)].map((match) => match[1] ?? '')),
]
