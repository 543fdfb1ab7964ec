import type { Effect } from '../effects.ts'

/** Whether the current part of a command certainly runs. */
export class Maybe {
  #depth = 0
  #mayBeOver = false

  /** Interprets a part that may not run. */
  within<T>(step: () => T): T {
    this.#depth++
    try {
      return step()
    } finally {
      this.#depth--
    }
  }

  /** The same, if `isDoubtful`. */
  if<T>(isDoubtful: boolean, step: () => T): T {
    return isDoubtful ? this.within(step) : step()
  }

  /** After this program, later parts may not run, or may not mean what their text shows. */
  after(program: string): void {
    if (TURNS.test(program)) this.#mayBeOver = true
  }

  mark(effect: Effect): Effect {
    if (effect.do !== 'destroy' && effect.do !== 'write') return effect
    return { ...effect, sure: effect.sure !== false && this.#depth === 0 && !this.#mayBeOver }
  }
}

const TURNS = /^(exit|return|break|continue|exec|logout|die|kill|alias|enable|shopt|trap)$/

/** Programs that run another one per result, of which there may be none. */
export const runsForEach = (program: string): boolean => /^(g?find|fd|fdfind|g?xargs|parallel)$/.test(program)
