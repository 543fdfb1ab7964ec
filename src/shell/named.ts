import type { Effect } from './effects.ts'
import { isKnown, relate } from './paths.ts'

/** What a command says of itself that it does to a path of the workspace, so that a change can be told to be its. */
export interface Named {
  /** From the root of the workspace; empty: the root itself. */
  readonly path: string
  /**
   * `remove`: it and all below it go; `write`: it gets another content; `copy`: it, or what is below it, gets the content of
   * what is named in `from`; `attributes`: its content stays; `folder`: a folder is made or removed; `any`: whatever it is, it
   * is done here and below.
   */
  readonly does: 'remove' | 'write' | 'copy' | 'attributes' | 'folder' | 'any'
  /** It is surely run, and with just this path. */
  readonly sure: boolean
  /** Of a copy, where that is known. */
  readonly from?: readonly string[]
}

/** What each part of a command names. A part that may touch anything names nothing. */
export function namedIn(effects: readonly Effect[], workspace: string): Named[] {
  const all = effects.flatMap((effect) => namedBy(effect, workspace))
  return [...new Map(all.map((one) => [JSON.stringify(one), one])).values()]
}

const ATTRIBUTES = /^(chmod|chown|chgrp|chattr|chflags|setfacl|touch)\b/
const COPIES = /^(cp|mv|install|ditto|rsync|scp)\b/
/** These leave nothing as it was; whether `sed -i` or a formatter changes a file depends on what is in it. */
const WRITES = /^&?>\|? |^>> \(of (echo|printf)\)|^(tee|sponge|truncate|dd|ln)\b/
const FOLDERS = /^(mkdir|rmdir)\b/
/** These bring files back to what git has of them, or take them away, whatever they are. */
const GIT = /^git (reset|checkout|switch|restore|clean|stash|rm|mv)\b/

function namedBy(effect: Effect, workspace: string): Named[] {
  if (effect.do === 'anything') return effect.at !== undefined && GIT.test(effect.by) ? [EVERYWHERE] : []
  if (effect.do !== 'destroy' && effect.do !== 'write') return []
  const lies = relate(effect.path, workspace)
  if (lies.is === 'above') return effect.deep ? [{ ...EVERYWHERE, ...deedOf(effect, workspace) }] : []
  if (lies.is !== 'inside') return []
  const { does, sure, ...more } = deedOf(effect, workspace)
  // Of a folder that a pattern stands for, only what matches is meant.
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

/** What comes from elsewhere nobody has kept. */
function within(path: string, workspace: string): string[] {
  const lies = relate(path, workspace)
  return isKnown(path) && lies.is === 'inside' && lies.exact ? [lies.rel] : []
}
