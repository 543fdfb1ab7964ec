import { posix, relative, resolve } from 'node:path'
import { Fault, isFault } from '../base/fault.ts'
import { lazily } from '../base/lazily.ts'
import { inPath, outPath } from '../base/quote.ts'
import { realPath } from '../host/files/fs.ts'
import { mapPaths } from '../protocol/paths.ts'
import type { Spec } from '../protocol/spec.ts'
import { isGlob, isWithin } from '../schema/path.ts'
import type { ToolCall } from './handler.ts'
import { snakeKeys } from './snake-keys.ts'
import { requestedRoot } from './workspace-lookup.ts'

/**
 * A person types paths relative to their current folder; tools take paths relative to the root of the workspace.
 * Absolute paths are accepted, too, when they lead into the workspace, through links or not.
 */

interface Standing {
  readonly root: string
  /**
   * The person's current folder, relative to the root; '' is the root, and also stands for a folder outside of the
   * workspace.
   */
  readonly folder: string
}

/** The input with its paths relative to the root of the workspace. */
export function fromRoot(call: ToolCall, { input: schema }: Spec, given: unknown): unknown {
  if (call.typedIn === undefined) return given
  const input = snakeKeys(given, schema)
  const standing = standingOf(call, input)
  if (standing === undefined) return input
  return mapPaths(schema, input, ({ takes, text }) => {
    if (takes === 'inside') return rootedPath(standing(), text)
    return takes === 'glob' ? rootedGlob(standing(), text) : text
  })
}

function standingOf(call: ToolCall, input: unknown): (() => Standing) | undefined {
  const { typedIn } = call
  if (typedIn === undefined) return undefined
  const workspace = (input as { workspace?: unknown } | null | undefined)?.workspace
  return lazily(() => {
    const root = requestedRoot(call, { workspace: typeof workspace === 'string' ? workspace : undefined })
    const folder = inside(root, realOr(typedIn))
    return { root, folder: folder ?? '' }
  })
}

function realOr(path: string): string {
  try {
    return realPath(path)
  } catch {
    return path
  }
}

/** A path relative to a folder; undefined when it is outside of it. */
const inside = (folder: string, path: string): string | undefined =>
  isWithin(path, folder) ? relative(folder, path) : undefined

function rootedPath({ root, folder }: Standing, text: string): string {
  const path = inPath(text)
  // Text that is no path at all is refused by the field's own check.
  if (path === '' || path.includes('\0')) return text
  const absolute = resolve(root, folder, path)
  const found = inside(root, absolute) ?? behindLink(root, absolute)
  if (found === undefined) throw new Fault('PATH_OUTSIDE', { path: text, root })
  return outPath(found) || '.'
}

/** For an absolute path that enters the workspace through a link, such as the shell's name for the current folder. */
function behindLink(root: string, absolute: string): string | undefined {
  const names = absolute.split('/')
  for (let i = 2; i <= names.length; i++) {
    const found = inside(root, realOr(names.slice(0, i).join('/')))
    if (found !== undefined) return posix.join(found, ...names.slice(i))
  }
  return undefined
}

const escaped = (text: string): string => text.replaceAll(/[*?[\]\\!#]/g, (char) => `\\${char}`)

/**
 * A glob is anchored in the current folder, as in a .gitignore there: without a slash it matches at any depth below it.
 */
function rootedGlob(standing: Standing, text: string): string {
  const { root, folder } = standing
  if (!isGlob(text)) return folder === '' && !text.startsWith('/') ? text : plainGlob(rootedPath(standing, text))
  if (text.startsWith(`${root}/`)) return text.slice(root.length)
  if (folder === '' && text.startsWith('./')) return `/${posix.normalize(text)}`
  if (folder === '' || text.startsWith('/')) return text
  const isAnywhere = !text.slice(0, -1).includes('/')
  const glob = isAnywhere ? `${escaped(folder)}/**/${text}` : posix.normalize(`${escaped(folder)}/${text}`)
  if (glob.split('/').includes('..')) throw new Fault('PATH_OUTSIDE', { path: text, root })
  return `/${glob}`
}

const plainGlob = (path: string): string => (isGlob(path) ? escaped(path) : path)

/** Makes a path that a hint names relative to the person's current folder, so that it can be typed there. */
export function seenFrom(call: ToolCall, input: unknown, error: unknown): unknown {
  const standing = standingOf(call, input)
  if (standing === undefined) return error
  const typed = (path: string): string =>
    outPath(relative(resolve(standing().root, standing().folder), resolve(standing().root, inPath(path)))) || '.'
  if (isFault(error, 'PATH_NOT_FOUND'))
    return new Fault('PATH_NOT_FOUND', { ...error.data, typed: typed(error.data.path) }, { cause: error })
  if (isFault(error, 'NOTHING_TO_FORGET') && error.data.nearest !== undefined)
    return new Fault('NOTHING_TO_FORGET', { ...error.data, nearest: typed(error.data.nearest) }, { cause: error })
  return error
}
