/**
 * A client that gets no answer from a daemon in time does the work itself. So that the work is not done twice, a daemon
 * that was suspended or busy does not begin requests that are too old. Both read the same clock.
 */

/** A client waits this long for the first byte of the answer. Once begun, the work may take any time. */
export const CLIENT_WAITS_MS = 4000
/** A daemon does not begin a request that is older than this. */
const BEGIN_WITHIN_MS = 2500

/** The monotonic clock of the machine: it cannot be set, and all processes read the same value. */
export const machineTime = (): number => Math.round(Number(process.hrtime.bigint() / 1_000_000n))

export const isTooLate = (asked: number): boolean => machineTime() - asked > BEGIN_WITHIN_MS
