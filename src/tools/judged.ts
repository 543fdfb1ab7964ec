import { homedir } from 'node:os'
import { judge } from '../privacy/judge.ts'

/** What a command line may do, as far as the guards want to know. */
export interface Judged {
  readonly modifies: boolean
  /** Paths it can touch at most, from the workspace's root; null: any. */
  readonly paths: readonly string[] | null
  readonly rewritesRefs: boolean
  /** It would delete or move the store. */
  readonly deletesStore: boolean
}

interface Setting {
  readonly cwd: string
  readonly workspace: string
  /** The home of the store. */
  readonly home: string
}

export function judged(command: string, { cwd, workspace, home }: Setting): Judged {
  const said = judge(command, { cwd, workspace, home: homedir(), store: home })
  return {
    modifies: said.modifies,
    paths: said.paths,
    rewritesRefs: said.rewrites_refs,
    deletesStore: said.deletes_store,
  }
}
