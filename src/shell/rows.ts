/** What programs do to files, as rows of data. */

/**
 * One thing that a program does:
 * - `reads`: changes nothing
 * - `all`, `first`, `second`, `last`, `rest`: writes these operands (`rest`: all but the first)
 * - `removes`: destroys every operand; `moves`: destroys all but the last, writes the last
 * - `local`: anything here if an operand is a path, as in `npm install -g ./cli`, or if there is none
 * - `runs`: its operands are a command; `runs-below`: the same, in folders below
 * - `deep`: writes the operands recursively
 * - `paths`: writes the operands recursively; without any, its working directory
 * - `here`: anything in and around its working directory and the folders that its words name
 * - `anything`: anything anywhere
 * - `inside`: as `here`, where its words name only what it reads
 * - `go.mod`: Go's list of modules, in its working directory or above
 * - `git`: changes the git folder; `refs`: changes it so that a ref, a stash or a reflog may be lost
 */
export type RowEffect =
  | 'reads'
  | 'all'
  | 'first'
  | 'second'
  | 'last'
  | 'rest'
  | 'deep'
  | 'paths'
  | 'removes'
  | 'moves'
  | 'local'
  | 'runs'
  | 'runs-below'
  | 'go.mod'
  | 'here'
  | 'inside'
  | 'anything'
  | 'git'
  | 'refs'

/** What a program does; several effects may be combined. A word that is not an effect does not compile. */
export type Deed = RowEffect | readonly RowEffect[]

export interface ProgramRow {
  readonly does: Deed
  /** Options with a value, see `takesOf`. */
  readonly takes?: string
  /** Those of them whose value is a file that it writes. */
  readonly out?: string
  /**
   * Flags that decide; the first row with a given flag counts: `['-n --dry-run --output=none --check+--no-cache',
   * 'reads']`.
   */
  readonly when?: readonly (readonly [flags: string, does: Deed])[]
  /** Without operands. */
  readonly bare?: Deed
  /** Its first operand selects a sub-command; for one that is not listed, the row itself applies. */
  readonly subs?: Table
  /** `-name` is one word. */
  readonly longOnly?: true
  /** As an output file, `-` means standard output. */
  readonly dash?: true
  /** Its first operand ends its own options: the rest belongs to a sub-command or a script. */
  readonly stopsEarly?: true
  /** With one of these flags it works recursively. */
  readonly deep?: string
}

export type Rows = readonly (readonly [names: string, row: ProgramRow | Deed])[]
export type Table = ReadonlyMap<string, ProgramRow>

/** Names with the same row are listed together: `['ls cat', 'reads']`. */
export const table = (rows: Rows): Table =>
  new Map(
    rows.flatMap(([names, row]) =>
      names
        .split(/\s+/)
        .filter(Boolean)
        .map((name) => [name, isDeed(row) ? { does: row } : row] as const),
    ),
  )

const isDeed = (row: ProgramRow | Deed): row is Deed => typeof row === 'string' || Array.isArray(row)
