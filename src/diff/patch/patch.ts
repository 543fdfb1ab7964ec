/**
 * A diff as data: shared by the parser (`parse.ts`), the writer (`format.ts`), the reverser and the applier.
 *
 * Contents are bytes throughout. Paths are names as described in base/quote.ts. The text around the diffs (mail
 * headers, commit messages, signatures) is preserved but has no meaning.
 */

export interface Patch {
  readonly files: readonly FilePatch[]
  /** The text after the last file. */
  readonly tail: Uint8Array
}

export type PatchFormat = 'git' | 'unified' | 'context'
export type PatchChange = 'added' | 'modified' | 'deleted' | 'renamed' | 'copied'

export interface FilePatch {
  /** Where its headers begin in the text, counted from 1. */
  readonly line: number
  /** The text before its headers. */
  readonly lead: Uint8Array
  readonly format: PatchFormat
  readonly change: PatchChange
  readonly old: PatchSide
  readonly new: PatchSide
  /** Git's line about the similarity of a renamed, copied or rewritten file, such as `similarity index 95%`. */
  readonly likeness: string | null
  readonly body: PatchBody
}

export interface PatchSide {
  /** Null where there is no file. */
  readonly path: string | null
  /** The prefix of the path in the headers: `a/`, `b/` or nothing. */
  readonly prefix: string
  /** The text after the name and a TAB in its header: a time, or empty; null without the TAB. */
  readonly stamp: string | null
  /** As in git: 0o100644, 0o100755 or 0o120000; null when the diff does not state it. */
  readonly mode: number | null
  /** The git id of the contents, perhaps abbreviated. */
  readonly hash: string | null
}

export type PatchBody =
  /** Only headers: a mode, a name, an empty file. */
  | { readonly kind: 'none' }
  | { readonly kind: 'text'; readonly hunks: readonly PatchHunk[] }
  | { readonly kind: 'binary'; readonly forward: BinaryPart; readonly backward: BinaryPart | null }
  /** Only the sentence that binary files differ. */
  | { readonly kind: 'differ' }

export interface PatchHunk {
  /** As in its header: the first line, counted from 1, or the line before when the hunk has none on that side. */
  readonly oldStart: number
  readonly newStart: number
  /** The text after the ranges in the header, with its leading space. */
  readonly heading: Uint8Array
  readonly lines: readonly PatchLine[]
}

export interface PatchLine {
  readonly mark: ' ' | '-' | '+'
  /** With its LF; without one it is the last line of its file. */
  readonly bytes: Uint8Array
}

/** How to make the contents of one side from those of the other. */
export interface BinaryPart {
  readonly method: 'literal' | 'delta'
  /** The contents, or the delta. */
  readonly data: Uint8Array
  /** The same, deflated, as in the text. */
  readonly deflated: Uint8Array
}

export const NO_BYTES: Uint8Array = new Uint8Array()

export const LINK_MODE = 0o120000

/** How many lines of the hunk are on that side. */
export const oldCount = (hunk: PatchHunk): number => countBut(hunk, '+')
export const newCount = (hunk: PatchHunk): number => countBut(hunk, '-')

function countBut(hunk: PatchHunk, mark: '-' | '+'): number {
  let count = 0
  for (const line of hunk.lines) if (line.mark !== mark) count++
  return count
}

/** The path for display: the new one, or the old one of a deleted file. */
export const pathOf = (file: FilePatch): string => file.new.path ?? file.old.path ?? ''

export const endsInNewline = (bytes: Uint8Array): boolean => bytes.at(-1) === 0x0a
