/** So many rounds of something: all of them, or the fraction that TIMEWARP_ROUNDS asks for, and one at least. */
export const rounds = (full: number): number =>
  Math.max(1, Math.round(full * Number(process.env['TIMEWARP_ROUNDS'] ?? 1)))
