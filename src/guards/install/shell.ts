import { dirname, join } from 'node:path'
import { writeWhole } from '../../host/files/durable.ts'
import { readFile, realPath, removeAll, removeFile, stat } from '../../host/files/fs.ts'
import { makeDirs } from '../../host/files/make-dirs.ts'
import { hasBlock, withBlock, withoutBlock } from './rc-block.ts'
import { quote, SHELLS, type Shell, snippetOf } from './shell-snippet.ts'

/** Adds the shell guard to a shell's start-up file, and removes it again. */

export interface ShellFiles {
  readonly shell: Shell
  /** The store's folder. */
  readonly home: string
  readonly env: Readonly<Record<string, string | undefined>>
  /** The program `timewarp`. */
  readonly program: string
}

export interface ShellState {
  readonly client: 'shell'
  readonly shell: Shell
  readonly scope: 'user'
  /** The start-up file. */
  readonly file: string
  readonly state: 'installed' | 'outdated' | 'absent'
}

/** The requested shell, else the user's own. */
export function shellOf(asked: string | undefined, env: ShellFiles['env']): Shell {
  const name = asked ?? env['SHELL']?.split('/').at(-1)
  return SHELLS.find((shell) => shell === name) ?? 'bash'
}

const folderOf = (home: string): string => join(home, 'shell')
const scriptOf = ({ home, shell }: ShellFiles): string => join(folderOf(home), `guard.${shell}`)

function rcFileOf({ shell, env }: ShellFiles): string {
  const user = env['HOME'] ?? ''
  return shell === 'zsh' ? join(env['ZDOTDIR'] || user, '.zshrc') : join(user, '.bashrc')
}

export function shellStatus(place: ShellFiles): ShellState {
  const file = rcFileOf(place)
  const state = !hasBlock(readFile(file)) ? 'absent' : isCurrent(place) ? 'installed' : 'outdated'
  return { client: 'shell', shell: place.shell, scope: 'user', file, state }
}

const isCurrent = (place: ShellFiles): boolean =>
  readFile(scriptOf(place))?.toString() === textFor(place) &&
  readFile(rcFileOf(place))?.includes(lineFor(place)) === true

const textFor = (place: ShellFiles): string => snippetOf(place.shell, { ...place, folder: folderOf(place.home) })

function lineFor(place: ShellFiles): string {
  const file = quote(scriptOf(place))
  return `[ -r ${file} ] && . ${file}`
}

export function installShell(place: ShellFiles): ShellState {
  makeDirs(folderOf(place.home), 0o700)
  writeWhole(scriptOf(place), textFor(place))
  rewrite(rcFileOf(place), (before) => withBlock(before, lineFor(place)))
  return shellStatus(place)
}

/** Returns whether there was a guard. */
export function removeShell(place: ShellFiles): boolean {
  const was = rewrite(rcFileOf(place), (now) => now && withoutBlock(now))
  removeAll(scriptOf(place))
  return was
}

/** Changes a file that may be a link, keeps its mode, and does not write it when nothing changes. */
function rewrite(path: string, change: (before: Buffer | undefined) => Buffer | undefined): boolean {
  const before = readFile(path)
  const after = change(before)
  if (before === undefined ? after === undefined : after?.equals(before)) return false
  if (after === undefined) removeFile(path)
  else if (before === undefined) {
    makeDirs(dirname(path))
    writeWhole(path, after, 0o644)
  } else writeWhole(realPath(path), after, (stat(path)?.mode ?? 0o644) & 0o777)
  return true
}
