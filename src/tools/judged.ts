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
  readonly home: string
}

export function judged(_command: string, _setting: Setting): Judged {
  return { modifies: true, paths: null, rewritesRefs: false, deletesStore: false }
}
