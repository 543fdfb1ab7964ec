/**
 * What the client leaves to the program that does the work after all. Both run in one process, but are loaded from
 * files of their own, so they meet at a name.
 */
export interface Handover {
  /** Standard input, which can be read only once. */
  stdin?: Uint8Array
  /** There is a daemon, though it does not do this: another one is of no use. */
  isServed?: boolean
}

const NAME = 'timewarp:handover'

export function handover(): Handover {
  const holder = globalThis as { [NAME]?: Handover }
  holder[NAME] ??= {}
  return holder[NAME]
}
