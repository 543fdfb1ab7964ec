import type { Workspace } from '../timeline/workspace.ts'
import type { Call } from './handler.ts'

export function pruneLater(_call: Call, _workspace: Workspace): void {}
