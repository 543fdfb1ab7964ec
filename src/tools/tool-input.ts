/** How much of each text is kept. */
const LONGEST = 200

/**
 * What a tool was asked for, as it is recorded: without contents, which are in the snapshot, and without secrets. All
 * that reaches the store or an answer of a tool's input passes through here.
 */
export const recordedInput = (input: readonly object[]): unknown[] => input.map(shortened)

const shortened = (input: object): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(input).map(([key, value]) => [
      key,
      typeof value === 'string' && value.length > LONGEST ? `${value.slice(0, LONGEST)}…` : value,
    ]),
  )
