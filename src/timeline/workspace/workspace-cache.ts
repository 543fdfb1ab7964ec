import { join } from 'node:path'
import { settingFiles } from '../../config/settings.ts'
import { trustRecordPath } from '../../config/trust-record.ts'
import { lstat, type Stat } from '../../host/files/fs.ts'
import type { WorkspaceRecord } from '../../records/workspaces.ts'
import { findGitDir } from './git-facts.ts'
import { checkRealRoot, openWorkspace, type Workspace } from './workspace.ts'

/** A file that changed this recently may change again without its times showing it. */
const YOUNG_MS = 50

/** Opened workspaces, cached until one of the files changes from which their settings and rules are read. */
export class WorkspaceCache {
  readonly #home: string
  readonly #known = new Map<string, { signature: string; workspace: Workspace }>()

  constructor(home: string) {
    this.#home = home
  }

  open(record: WorkspaceRecord): Workspace {
    const signature = signatureOf(this.#home, record.root)
    const known = this.#known.get(record.id)
    if (known && known.signature === signature && known.workspace.root === record.root) {
      checkRealRoot(record.root)
      return { ...known.workspace, record }
    }
    const workspace = openWorkspace(record, this.#home)
    if (signature) this.#known.set(record.id, { signature, workspace })
    return workspace
  }
}

/** Undefined when a file changed too recently for its times to be trusted. */
function signatureOf(home: string, root: string): string | undefined {
  const gitDir = findGitDir(root)
  const files = [
    ...settingFiles(home, root),
    trustRecordPath(home, root),
    join(home, 'ignore'),
    join(root, '.timewarpignore'),
    join(root, '.timewarp', '.gitignore'),
    ...(gitDir ? [join(gitDir, 'index')] : []),
  ]
  const stats = files.map((file) => lstat(file))
  const now = Date.now()
  if (stats.some((stat) => stat && now - stat.ctimeMs < YOUNG_MS)) return undefined
  return `${lstat(root)?.isDirectory()} ${gitDir} ${stats.map(tell).join(' ')}`
}

const tell = (stat: Stat | undefined): string =>
  stat ? `${stat.ino}:${stat.size}:${stat.mtimeMs}:${stat.ctimeMs}` : '-'
