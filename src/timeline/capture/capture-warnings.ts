import { outPath } from '../../base/quote.ts'
import { count, size } from '../../base/text.ts'
import type { Workspace } from '../workspace/workspace.ts'
import type { Assembled } from './assemble.ts'

const WHY: Record<string, string> = {
  unreadable: 'it cannot be read',
  oversized: 'it is larger than max_file_bytes',
  special: 'it is a socket, pipe or device',
  busy: 'it kept changing while it was read',
  budget: 'it is over the budget',
}

/** The warnings of a capture: what it could not capture, and budgets that are exceeded. */
export function warningsOf(workspace: Workspace, { skipped, files, bytes }: Assembled): string[] {
  const { max_files, max_bytes } = workspace.config.budget
  const warnings = skipped.map(({ path, reason }) => `${outPath(path)} is not captured: ${WHY[reason]}`)
  if (files > max_files) warnings.push(`the workspace has ${count(files, 'file')}, over its budget of ${max_files}`)
  if (max_bytes !== null && bytes > max_bytes)
    warnings.push(`the workspace holds ${size(bytes)}, over its budget of ${size(max_bytes)}`)
  return warnings
}
