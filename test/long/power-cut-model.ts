import type { State } from '../kit/world.ts'

/** What the workload reports, in order. */
export type CutEvent =
  | { readonly kind: 'ready' | 'end' | 'writing' | 'settled' }
  | { readonly kind: 'wrote'; readonly state: State }
  | { readonly kind: 'begin'; readonly tool: string; readonly before: State; readonly makes?: Makes | undefined }
  | {
      readonly kind: 'answer'
      readonly tool: string
      readonly state: State
      readonly snapshot?: string | undefined
      readonly backup?: string | undefined
    }
  | { readonly kind: 'refused'; readonly tool: string; readonly why: string; readonly state: State }

/** What an edit makes of a file: a recovery may finish it, at a time nobody knows. */
export interface Makes {
  readonly path: string
  readonly content: string
}

export interface Seen {
  readonly event: CutEvent
  readonly at: number
}

/** What must hold of the machine after its power was cut. */
export interface Expectation {
  readonly home: string
  readonly ws: string
  readonly seed: number
  /** Snapshots that must be there. */
  readonly durable: readonly string[]
  /** What each answered snapshot holds. */
  readonly known: Readonly<Record<string, State>>
  /** Everything each path has ever held. */
  readonly ever: Readonly<Record<string, readonly string[]>>
  /** The workspace, where it is known; undefined in the middle of something that changes it. */
  readonly present: State | undefined
  /** In the middle of an act: the state before it, which must be there or be brought back. */
  readonly before: State | undefined
  /** In the middle of an edit: what it may have made. */
  readonly makes: Makes | undefined
  /** The workload itself was at its files: what is in them is not known. */
  readonly isWriting: boolean
  readonly last: string
}

/** A daemon makes durable what it answered within a second. The machine may be busy with other things. */
const SOON_MS = 2000

const CHANGES_NOTHING = new Set(['snapshot', 'gc', 'prune'])

/** Reads off what happened until the cut what must hold after it. */
export function expectation(
  seen: readonly Seen[],
  cutAt: number,
  where: { home: string; ws: string; seed: number; daemon: boolean },
): Expectation {
  const durable = new Set<string>()
  const backups = new Set<string>()
  const known: Record<string, State> = {}
  const ever: Record<string, Set<string>> = {}
  let present: State | undefined
  let before: State | undefined
  let waiting: string[] = []
  let isWriting = false
  let makes: Makes | undefined
  const remember = (state: State): void => {
    for (const [path, line] of Object.entries(state)) (ever[path] ??= new Set()).add(line)
  }
  for (const { event, at } of seen) {
    if ('state' in event) remember(event.state)
    if (event.kind === 'wrote' || event.kind === 'refused') {
      present = event.state
      before = undefined
    }
    if (event.kind === 'writing') present = undefined
    isWriting = event.kind === 'writing'
    makes = event.kind === 'begin' ? event.makes : undefined
    if (event.kind === 'begin') {
      remember(event.before)
      // Retention may take what is not pinned.
      if (event.tool === 'prune') backups.clear()
      before = CHANGES_NOTHING.has(event.tool) ? undefined : event.before
      present = CHANGES_NOTHING.has(event.tool) ? event.before : undefined
    }
    if (event.kind === 'answer') {
      present = event.state
      before = undefined
      if (event.snapshot) known[event.snapshot] = event.state
      // What an act may have overwritten is durable before it begins.
      if (event.backup) backups.add(event.backup)
      if (event.snapshot && where.daemon && cutAt - at > SOON_MS) durable.add(event.snapshot)
      if (event.snapshot) waiting.push(event.snapshot)
    }
    if (event.kind === 'settled' && !where.daemon) {
      for (const id of waiting) durable.add(id)
      waiting = []
    }
  }
  return {
    home: where.home,
    ws: where.ws,
    seed: where.seed,
    durable: [...durable, ...backups],
    known,
    ever: Object.fromEntries(Object.entries(ever).map(([path, lines]) => [path, [...lines]])),
    present,
    before,
    makes,
    isWriting,
    last: seen.at(-1) ? JSON.stringify(withoutStates(seen.at(-1) as Seen)) : '',
  }
}

const withoutStates = ({ event }: Seen): object => ({ ...event, state: undefined, before: undefined })
