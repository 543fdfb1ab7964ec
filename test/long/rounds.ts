/** So many rounds of something: all of them, or the fraction that TIMEWARP_ROUNDS asks for, and one at least. */
export const rounds = (full: number): number =>
  Math.max(1, Math.round(full * Number(process.env['TIMEWARP_ROUNDS'] ?? 1)))

/** What chance begins with: TIMEWARP_SEED, or another number each time. Tests print it. */
export const seed = (): number => Number(process.env['TIMEWARP_SEED'] ?? Date.now() % 1_000_000)
