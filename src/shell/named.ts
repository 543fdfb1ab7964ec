import type { Effect } from './effects.ts'
import { isKnown, relate } from './paths.ts'

/** What a command's text explicitly does to a path of the workspace, so that a change can be attributed to it. */
export interface Named {
  /** Relative to the root of the workspace; empty for the root itself. */
  readonly path: string
  /**
   * `remove`: deletes it recursively; `write`: gives it another content; `copy`: gives it, or something below it, the
   * content of a path in `from`; `attributes`: leaves its content; `folder`: creates or removes a folder; `any`:
   * anything, here and below.
   */
  readonly does: 'remove' | 'write' | 'copy' | 'attributes' | 'folder' | 'any'
  /** The part certainly runs, and with exactly this path. */
  readonly sure: boolean
  /** The sources of a copy, where they are known. */
  readonly from?: readonly string[]
}

/** What each part of a command names. A part that may change anything names nothing. */
export function namedIn(effects: readonly Effect[], workspace: string): Named[] {
  const all = effects.flatMap((effect) => namedBy(effect, workspace))
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

const ATTRIBUTES = /^(chmod|chown|chgrp|chattr|chflags|setfacl|touch)\b/
const COPIES = /^(cp|mv|install|ditto|rsync|scp)\b/
/** These always write; whether `sed -i` or a formatter changes a file depends on its content. */
const WRITES = /^&?>\|? |^>> \(of (echo|printf)\)|^(tee|sponge|truncate|dd|ln)\b/
const FOLDERS = /^(mkdir|rmdir)\b/
/** These restore files to git's version or remove them, whatever their content. */
const GIT = /^git (reset|checkout|switch|restore|clean|stash|rm|mv)\b/

function namedBy(effect: Effect, workspace: string): Named[] {
  if (effect.do === 'anything') return effect.at !== undefined && GIT.test(effect.by) ? [EVERYWHERE] : []
  if (effect.do !== 'destroy' && effect.do !== 'write') return []
  const lies = relate(effect.path, workspace)
  if (lies.is === 'above') return effect.deep ? [{ ...EVERYWHERE, ...deedOf(effect, workspace) }] : []
  if (lies.is !== 'inside') return []
  const { does, sure, ...more } = deedOf(effect, workspace)
  // Where a pattern stands for a folder's entries, only the matching ones count.
  const path = lies.rel
  return [{ path, does, sure: sure && lies.exact, ...more }]
}

const EVERYWHERE: Named = { path: '', does: 'any', sure: false }

function deedOf(
  { do: how, by, sure = false, from }: Extract<Effect, { do: 'destroy' | 'write' }>,
  workspace: string,
): Omit<Named, 'path'> {
  if (GIT.test(by)) return { does: 'any', sure: false }
  if (how === 'destroy') return { does: by.startsWith('rsync') ? 'any' : 'remove', sure }
  if (ATTRIBUTES.test(by)) return { does: 'attributes', sure }
  if (FOLDERS.test(by)) return { does: 'folder', sure }
  if (!COPIES.test(by)) return { does: 'write', sure: sure && WRITES.test(by) }
  return { does: 'copy', sure, from: (from ?? []).flatMap((path) => within(path, workspace)) }
}

/** Sources outside the workspace are left out: their content is not stored. */
function within(path: string, workspace: string): string[] {
  const lies = relate(path, workspace)
  return isKnown(path) && lies.is === 'inside' && lies.exact ? [lies.rel] : []
}
