import type { GitKeepRecord } from '../records/git-keeps.ts'
import type { Losses, LostRef, LostStash } from './losses.ts'

/** Decides which of several keeps has what the repository lacks by now. Pure. */

export interface KeptLosses {
  readonly id: string
  /** A rescue replaced this state on purpose: what it has is not lost. */
  readonly isReplaced: boolean
  readonly losses: Losses
  /** Whether objects are kept as well. */
  readonly isWhole: boolean
  /**
   * Whether a prompt led to this state and changed git again afterwards: the value it gave a branch was not meant to
   * last.
   */
  readonly isMiddle?: boolean
}

/** Something that the repository lacks, and the newest keep that has it. */
export interface Missing {
  readonly what: 'git folder' | 'ref' | 'stash' | 'commit' | 'HEAD' | 'index'
  /** The name of a ref; for anything else the id. */
  readonly name: string
  readonly state: string
  readonly lost: LostRef | LostStash | undefined
}

/** What to rescue from one keep. */
export interface RescueProposal {
  readonly state: string
  readonly brings: readonly Missing[]
  /**
   * The names to pass to `--only`, because the keep has more that the repository lacks; empty: no selection is needed.
   */
  readonly only: readonly string[]
}

/** The reason recorded for the keep that is taken before a rescue moves refs. */
export const BEFORE_RESCUE = 'before git-rescue'

export const isReplaced = ({ why, replaced }: Pick<GitKeepRecord, 'why' | 'replaced'>): boolean =>
  replaced === true || why.startsWith(BEFORE_RESCUE)

/** `states` are the newest first. If a ref has several lost values, the newest counts. */
export function missingIn(states: readonly KeptLosses[]): Missing[] {
  const gone = states.filter(({ losses }) => losses.gone)
  const whole = gone.find(({ isWhole }) => isWhole) ?? gone[0]
  if (whole) return [{ what: 'git folder', name: '', state: whole.id, lost: undefined }]
  const replaced = new Set(states.filter((state) => state.isReplaced).flatMap(refKeys))
  const found = new Map<string, Missing>()
  for (const state of [...states.filter(({ isMiddle }) => !isMiddle), ...states.filter(({ isMiddle }) => isMiddle)])
    for (const one of lostIn(state)) {
      const isMeant = one.what === 'ref' && (replaced.has(refKey(one.lost as LostRef)) || isPassing(state, one.lost))
      if (!isMeant && !found.has(`${one.what} ${one.name}`)) found.set(`${one.what} ${one.name}`, one)
    }
  return [...found.values()]
}

const isPassing = ({ isMiddle }: KeptLosses, lost: Missing['lost']): boolean =>
  isMiddle === true && (lost as LostRef).status === 'rewritten'

const refKey = ({ name, id }: LostRef): string => `${name} ${id}`
const refKeys = ({ losses }: KeptLosses): string[] => losses.refs.map(refKey)

const lostIn = ({ id: state, losses }: KeptLosses): Missing[] => [
  ...losses.refs.map((lost) => ({ what: 'ref' as const, name: lost.name, state, lost })),
  ...losses.stashes.map((lost) => ({ what: 'stash' as const, name: lost.id, state, lost })),
  ...losses.commits.map((name) => ({ what: 'commit' as const, name, state, lost: undefined })),
]

const MOST_PROPOSALS = 5
/** A branch or a stash counts more than any number of commits that only reflogs led to. */
const weightOf = ({ what }: Missing): number => (what === 'commit' ? 1 : 1000)

/**
 * The fewest keeps that have everything, chosen greedily: each time the newest of those with the most of what is left.
 */
export function proposalsFor(states: readonly KeptLosses[], missing: readonly Missing[]): RescueProposal[] {
  const [first] = missing
  if (first?.what === 'git folder') return [{ state: first.state, brings: [first], only: [] }]
  const proposals: RescueProposal[] = []
  for (let left = [...missing]; left.length > 0 && proposals.length < MOST_PROPOSALS; ) {
    const best = bestFor(states, left)
    if (best === undefined) break
    proposals.push(best)
    left = left.filter((one) => !best.brings.includes(one))
  }
  return proposals
}

function bestFor(states: readonly KeptLosses[], left: readonly Missing[]): RescueProposal | undefined {
  let best: { proposal: RescueProposal; weight: number } | undefined
  for (const state of states) {
    const own = new Set(lostIn(state).map(keyOf))
    const brings = left.filter((one) => own.has(keyOf(one)))
    const weight = brings.reduce((sum, one) => sum + weightOf(one), 0)
    if (weight <= (best?.weight ?? 0)) continue
    const only = brings.length === own.size ? [] : namesFor(brings)
    best = { proposal: { state: state.id, brings, only }, weight }
  }
  return best?.proposal
}

const keyOf = ({ what, name, lost }: Missing): string => `${what} ${name} ${lost?.id ?? ''}`

/** The names that `--only` takes. */
const namesFor = (brings: readonly Missing[]): string[] => [
  ...brings.flatMap(({ what, name }) => (what === 'ref' ? [name] : what === 'stash' ? [name.slice(0, 12)] : [])),
  ...(brings.some(({ what }) => what === 'commit') ? [COMMITS] : []),
]

const COMMITS = 'commits'

/**
 * Those of some losses that are named: by the name of a ref, complete or its end, by the beginning of a stash's id, or
 * `commits`.
 */
export function onlyNamed(losses: Losses, only: readonly string[]): { losses: Losses; unknown: readonly string[] } {
  const isRef = ({ name }: LostRef, word: string): boolean => name === word || name.replace(/^refs\/\w+\//, '') === word
  const isStash = ({ id }: LostStash, word: string): boolean => word.length >= 4 && id.startsWith(word)
  const refs = losses.refs.filter((ref) => only.some((word) => isRef(ref, word)))
  const stashes = losses.stashes.filter((stash) => only.some((word) => isStash(stash, word)))
  const unknown = only.filter(
    (word) =>
      word !== COMMITS && !refs.some((ref) => isRef(ref, word)) && !stashes.some((stash) => isStash(stash, word)),
  )
  return { losses: { ...losses, refs, stashes, commits: only.includes(COMMITS) ? losses.commits : [] }, unknown }
}
