/** Whether this is `npm run test:long`, which plays everything; `npm test` plays a part of it. */
export const FULL = process.env['TIMEWARP_TEST_FULL'] === '1'

const SHARE = Number(process.env['TIMEWARP_ROUNDS'] ?? 1)

/**
 * So many rounds of something: all of them, or the fraction that TIMEWARP_ROUNDS asks for, and one at least.
 * `quick` is how many `npm test` plays, where that plays them at all.
 */
export const rounds = (full: number, quick?: number): number =>
  FULL || quick === undefined ? Math.max(1, Math.round(full * SHARE)) : quick

/** What chance begins with: TIMEWARP_SEED, else `usual`, else another number each time. Tests print it. */
export const seed = (usual?: number): number => Number(process.env['TIMEWARP_SEED'] ?? usual ?? Date.now() % 1_000_000)
