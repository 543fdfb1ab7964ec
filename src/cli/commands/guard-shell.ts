import { dirname, join } from 'node:path'
import {
  installShell,
  removeShell,
  type ShellFiles,
  type ShellState,
  shellOf,
  shellStatus,
} from '../../guards/install/shell.ts'
import { SHELLS, type Shell } from '../../guards/install/shell-snippet.ts'
import type { Context } from '../context.ts'
import { homeOf } from '../parse/globals.ts'

/** The part of `timewarp guard` for shells. */

export interface ShellGuardResult {
  readonly answer: object
  readonly text: string
}

function placeOf({ io, globals }: Context, shell: Shell | undefined): ShellFiles {
  const root = join(dirname(io.program), io.program.endsWith('.ts') ? '../..' : '..')
  return {
    shell: shellOf(shell, io.env),
    home: homeOf(globals, io),
    env: io.env,
    program: join(root, 'bin', 'timewarp'),
  }
}

export function guardShell(context: Context, shell: Shell | undefined): ShellGuardResult {
  const place = placeOf(context, shell)
  const before = shellStatus(place).state
  const now = installShell(place)
  const text = [
    before === 'installed'
      ? `${now.shell} was guarded already, by ${now.file}`
      : `Guarded: ${now.shell}, by ${now.file}`,
    ...(before === 'installed' ? [] : ['It begins with the next shell you open.']),
    `Take it away with: timewarp guard remove shell --shell ${now.shell}`,
  ]
  return { answer: { ...now, before }, text: text.join('\n') }
}

/** Without a named shell, removes the guard from all shells. */
export function unguardShell(context: Context, shell: Shell | undefined): ShellGuardResult {
  const places = (shell ? [shell] : SHELLS).map((one) => placeOf(context, one))
  const gone = places.filter((place) => removeShell(place)).map((place) => shellStatus(place).file)
  const text = gone.map((file) => `Removed from ${file}`).join('\n') || 'There was no guard for shell.'
  return { answer: { client: 'shell', removed: gone }, text }
}

export const shellStates = (context: Context): ShellState[] =>
  SHELLS.map((shell) => shellStatus(placeOf(context, shell)))
