import { fault } from '../fault-kind.ts'
import { count } from '../text.ts'

/** The faults of edits; a part of the table in fault.ts. */

/** One of the places where a text occurs; line and column count from 1, the column in characters. */
interface SearchPlace {
  readonly line: number
  readonly column: number
  readonly context: string
}

export interface SearchPlaces {
  readonly path: string
  readonly count: number
  /** The first places, at most 20; `lines` are their lines. */
  readonly places: readonly SearchPlace[]
  readonly lines: readonly number[]
}

/** The lines most similar to a text that does not occur, and how they differ. */
export interface SearchNear {
  readonly line: number
  readonly end_line: number
  readonly differences: readonly string[]
  /** The first line that differs: its number, its text, and the searched text, both as JSON. */
  readonly at: number
  readonly found: string
  readonly wanted: string
  /** The line ends there, when they are the only difference. */
  readonly line_end?: string
}

export interface HunkPlace {
  readonly hunk: number
  readonly path: string
  readonly head: string
}

const SHOWN_HUNKS = 20

function hunkLines(hunks: readonly HunkPlace[]): string {
  const lines = hunks.slice(0, SHOWN_HUNKS).map(({ hunk, path, head }) => `\n  ${hunk}  ${path}  ${head}`)
  const more = hunks.length - lines.length
  return lines.join('') + (more > 0 ? `\n  … and ${more} more` : '')
}

export const EDIT_FAULTS = {
  PATH_PROTECTED: fault<{ path: string; why: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is not edited: ${d.why}.`,
    hint: () => 'Edits reach everything in the workspace but .git, .timewarp and the root itself.',
  }),
  PATH_SYMLINK: fault<{ path: string; link: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is not written: ${d.link} is a symlink.`,
    hint: () => 'Edits never go through a symlink. Give the path it points to, if that is in the workspace.',
  }),
  PATH_KIND: fault<{ path: string; wanted: string; found: string; to_read?: true }>({
    kind: 'conflict',
    message: (d) => `${d.path} is a ${d.found}, not a ${d.wanted}.`,
    hint: (d) =>
      d.to_read
        ? 'Name a file in it. What changed in a folder, and when: timewarp log --file-filter FOLDER'
        : `Name a ${d.wanted}, or move this one out of the way.`,
  }),
  PATH_EXISTS: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} already exists.`,
    hint: () => 'Give the whole new path, one that does not exist yet, or delete what is there first.',
  }),
  PATH_MISSING: fault<{ path: string }>({
    kind: 'missing',
    message: (d) => `${d.path} does not exist.`,
    hint: () => 'Check the path. A new file is made by writing it whole.',
  }),
  RENAME_INSIDE: fault<{ from: string; to: string }>({
    kind: 'usage',
    message: (d) => `${d.from} cannot be moved into itself, to ${d.to}`,
    hint: () => 'Choose a place outside of it.',
  }),
  FILE_CHANGED: fault<{ path: string; expected: string; found: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} changed after it was read: it is ${d.found}, not ${d.expected}`,
    hint: (d) => `Read ${d.path} again, then repeat the edit.`,
  }),
  FILE_BINARY: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is binary: there is a NUL byte in it.`,
    hint: () => 'Replace it as a whole, or with a binary diff.',
  }),
  FILE_NOT_UTF8: fault<{ path: string }>({
    kind: 'conflict',
    message: (d) => `${d.path} is not UTF-8, so its text cannot be matched.`,
    hint: () => 'Replace it as a whole, or with a diff of its bytes.',
  }),
  RANGE_OUTSIDE: fault<{ path: string; start_line: number; end_line: number; lines: number }>({
    kind: 'conflict',
    message: (d) => `There are no lines ${d.start_line} to ${d.end_line} in ${d.path}, which has ${d.lines}.`,
    hint: () => 'Count from 1 and include both ends. The line after the last one appends.',
  }),
  HUNK_UNKNOWN: fault<{ hunk: number; hunks: readonly HunkPlace[] }>({
    kind: 'usage',
    message: (d) => `There is no hunk ${d.hunk}, only ${d.hunks.length}:${hunkLines(d.hunks)}`,
    hint: () => 'Choose among these; timewarp changes shows them, in the same order.',
  }),
  HUNK_AMBIGUOUS: fault<{ snapshots: readonly string[]; hunks: readonly HunkPlace[] }>({
    kind: 'usage',
    message: (d) => `Hunks are counted within one change, and these are ${d.snapshots.length}:${hunkLines(d.hunks)}`,
    hint: (d) => `Take back one of them at a time: ${d.snapshots.slice(0, 5).join(', ')}`,
  }),
  SEARCH_EMPTY: fault<{ path: string }>({
    kind: 'usage',
    message: (d) => `The search text is empty, and ${d.path} is not.`,
    hint: () => 'Give the text to replace. An empty one makes a file that does not exist yet, or fills an empty one.',
  }),
  SEARCH_AMBIGUOUS: fault<SearchPlaces>({
    kind: 'conflict',
    message: (d) => `The search text occurs ${count(d.count, 'time')} in ${d.path}: line ${d.lines.join(', ')}`,
    hint: () => 'Give more of the lines around it, or choose one of the places with occurrence, counted from 1.',
  }),
  SEARCH_OCCURRENCE: fault<SearchPlaces & { occurrence: number }>({
    kind: 'conflict',
    message: (d) =>
      `There is no occurrence ${d.occurrence} of the search text in ${d.path}, only ${d.count}: line ${d.lines.join(', ')}`,
    hint: (d) => `Choose one from 1 to ${d.count}.`,
  }),
  SEARCH_NOT_FOUND: fault<{ path: string } & Partial<SearchNear>>({
    kind: 'missing',
    message: (d) =>
      d.line === undefined
        ? `The search text is not in ${d.path}, nor anything like it.`
        : `The search text is not in ${d.path}. The nearest is line ${d.line}, which differs in ${(d.differences ?? []).join(', ').replaceAll('_', ' ')}.`,
    hint: (d) =>
      d.line === undefined
        ? `Read ${d.path} again, and give its text exactly.`
        : d.line_end !== undefined
          ? `Lines end in ${d.line_end} there: end those of search_block, and of replace_block, the same way.`
          : `Line ${d.at} is ${d.found}, not ${d.wanted}`,
  }),
} as const
