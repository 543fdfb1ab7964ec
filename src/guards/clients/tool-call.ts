import { clipped, type GuardEvent, object, type Payload, type ToolKind, text, texts } from './event.ts'
import { patchPaths } from './patch-paths.ts'

/** How a tool of a client may change files, and which input fields show it. */
interface ToolRow {
  readonly kind: ToolKind
  /** Input fields that name the files. */
  readonly paths?: readonly string[]
  /** Input fields that may hold a patch, which names the files. */
  readonly patch?: readonly string[]
  /** Input fields that may hold a shell command. */
  readonly command?: readonly string[]
  /** Input fields that may hold the folder the command runs in. */
  readonly cwd?: readonly string[]
}
export type ToolRows = Readonly<Record<string, ToolRow>>

const READ: ToolRow = { kind: 'read' }
const DELEGATE: ToolRow = { kind: 'delegate' }
const OTHER: ToolRow = { kind: 'other' }

export const edits = (...paths: readonly string[]): ToolRow => ({ kind: 'edit', paths })

/** Rows for tools that cannot change a file. */
export const reads = (...names: readonly string[]): ToolRows => Object.fromEntries(names.map((name) => [name, READ]))

export const delegates = (...names: readonly string[]): ToolRows =>
  Object.fromEntries(names.map((name) => [name, DELEGATE]))

/**
 * Timewarp's own tools, under any name that a client gives to tools of an MCP server: they record their changes
 * themselves.
 */
const OWN = /^(mcp__(plugin_)?timewarp|mcp_timewarp|timewarp)_/

/** What a call may change. A tool that is not in the table may change anything. */
export function describeCall(rows: ToolRows, tool: string, input: unknown): Partial<GuardEvent> {
  const row = Object.hasOwn(rows, tool) ? rows[tool] : OWN.test(tool) ? READ : OTHER
  const given = object(input)
  const { kind, paths, command } = touched(row ?? OTHER, given)
  return {
    tool,
    kind,
    tool_input: clipped(input),
    ...(paths ? { paths } : {}),
    ...(command === undefined ? {} : { command, cwd: first(given, row?.cwd) }),
  }
}

function touched(row: ToolRow, given: Payload): { kind: ToolKind; paths?: string[]; command?: string } {
  if (row.kind === 'shell') {
    const command = first(given, row.command)
    return command === undefined ? { kind: 'other' } : { kind: 'shell', command }
  }
  if (row.kind !== 'edit') return { kind: row.kind }
  const patch = first(given, row.patch)
  const paths = [...texts(...(row.paths ?? []).map((field) => given[field])), ...(patch ? patchPaths(patch) : [])]
  // An edit that names no file may change any.
  return paths.length > 0 ? { kind: 'edit', paths } : { kind: 'other' }
}

const first = (given: Payload, fields: readonly string[] = []): string | undefined =>
  fields.map((field) => commandOf(given[field])).find((said) => said !== undefined)

/** A command is a string, or a list of words. */
function commandOf(value: unknown): string | undefined {
  if (!Array.isArray(value)) return text(value)
  const words = texts(...value)
  // `bash -lc SCRIPT`: the script is the command.
  return words.length === 3 && /^-\w*c$/.test(words[1] ?? '') ? words[2] : text(words.join(' '))
}
