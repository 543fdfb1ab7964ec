/**
 * A client that hears nothing from a daemon does the work itself. So that nothing is done twice, a daemon that comes to
 * itself again does not begin what was asked too long ago: the two of them look at the same clock.
 */

/** A client waits this long for the first word. What has begun may take as long as it takes. */
export const CLIENT_WAITS_MS = 4000
/** A daemon does not begin later than this. */
const BEGIN_WITHIN_MS = 2500

/** The clock of the machine, which nobody can set; all processes see the same. */
export const machineTime = (): number => Math.round(Number(process.hrtime.bigint() / 1_000_000n))

export const isTooLate = (asked: number): boolean => machineTime() - asked > BEGIN_WITHIN_MS
