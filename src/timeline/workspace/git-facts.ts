import { dirname, isAbsolute, join, resolve } from 'node:path'
import { nameFromBytes } from '../../base/quote.ts'
import { lstat, lstatExact, readFile, realPath, stat } from '../../host/files/fs.ts'
import { runQuietly } from '../../host/processes/run.ts'
import { isRelPath, type RelPath } from '../../schema/path.ts'

/** Facts about a git repository: where its folder is, what it tracks, where its HEAD is. */

/** The git folder of the repository that `root` is in; undefined when it is in none. */
export function findGitDir(root: string): string | undefined {
  for (let dir = root; ; dir = dirname(dir)) {
    const at = join(dir, '.git')
    const found = lstat(at)
    if (found?.isDirectory()) return at
    if (found?.isSymbolicLink() && stat(at)?.isDirectory()) return realPath(at)
    if (found?.isFile()) return linkedGitDir(at, dir)
    if (dirname(dir) === dir) return undefined
  }
}

/** A linked work tree or submodule has a file `.git` that names the folder. */
function linkedGitDir(file: string, dir: string): string | undefined {
  const target = /^gitdir: (.+)$/m.exec(readFile(file)?.toString() ?? '')?.[1]?.trim()
  return target && (isAbsolute(target) ? target : resolve(dir, target))
}

/** Changes whenever the set of tracked files may have changed. */
export function trackedSignature(gitDir: string | undefined): string {
  const stat = gitDir && lstatExact(join(gitDir, 'index'))
  return stat ? `${stat.mtimeNs}:${stat.ctimeNs}:${stat.size}:${stat.ino}` : ''
}

/** The paths below `root` that git tracks; undefined when git fails. */
export function trackedPaths(root: string): RelPath[] | undefined {
  const out = runQuietly('git', ['-c', 'core.fsmonitor=false', 'ls-files', '-z', '--cached'], { cwd: root })
  if (out === undefined) return undefined
  const text = out.toString()
  return (text.includes('\ufffd') ? nameFromBytes(out) : text)
    .split('\0')
    .filter((path) => path !== '')
    .filter(isRelPath)
}

/** HEAD and branch, read from git's files without running git: that adds almost nothing to a capture. */
export function gitFacts(gitDir: string | undefined): { head: string | null; branch: string | null } | undefined {
  if (gitDir === undefined) return undefined
  const head = readFile(join(gitDir, 'HEAD'))?.toString().trim()
  if (head === undefined) return undefined
  const ref = /^ref: (.+)$/.exec(head)?.[1]
  if (ref === undefined) return { head, branch: null }
  return { head: readRef(gitDir, ref) ?? null, branch: ref.replace(/^refs\/heads\//, () => '') }
}

function readRef(gitDir: string, ref: string): string | undefined {
  const common = readFile(join(gitDir, 'commondir'))?.toString().trim()
  for (const dir of [gitDir, ...(common ? [resolve(gitDir, common)] : [])]) {
    const loose = readFile(join(dir, ref))?.toString().trim()
    if (loose) return loose
    const packed = readFile(join(dir, 'packed-refs'))
      ?.toString()
      .split('\n')
      .find((line) => line.endsWith(` ${ref}`))
    if (packed) return packed.slice(0, packed.indexOf(' '))
  }
  return undefined
}
