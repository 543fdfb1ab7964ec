import { Fault } from '../base/fault.ts'
import { findTool } from '../protocol/catalogue.ts'
import { describeTools, type ToolJson } from '../protocol/describe.ts'
import { GROUPS, type Group } from '../protocol/spec.ts'

/** The tools offered without a choice: none that removes stored data. */
const DEFAULT_SETS: readonly Group[] = ['timeline', 'edits', 'travel']

/** The tools that a server offers, by name. */
export type ToolSet = ReadonlyMap<string, ToolJson>

/** Parses a choice such as `timeline,travel,prune`: sets of tools, and single tools. */
export async function toolSetOf(choice: string | undefined): Promise<ToolSet> {
  const words = choice === undefined ? DEFAULT_SETS : choice.split(',').map((word) => word.trim())
  const wanted = new Set(words.filter((word) => word !== '').map(meant))
  const tools = await describeTools()
  return new Map(
    tools.filter(({ name, group }) => wanted.has(name) || wanted.has(group)).map((tool) => [tool.name, tool]),
  )
}

function meant(word: string): string {
  if (GROUPS.some((group) => group === word)) return word
  const entry = findTool(word)
  if (entry === undefined) throw new Fault('TOOL_SET_UNKNOWN', { name: word, sets: GROUPS })
  return entry.tool
}
