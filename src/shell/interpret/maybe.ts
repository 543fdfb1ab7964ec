import type { Effect } from '../effects.ts'

/** Whether the part of a command that is being read surely runs. */
export class Maybe {
  #depth = 0
  #mayBeOver = false

  /** Reads a part that may not run. */
  within<T>(step: () => T): T {
    this.#depth++
    try {
      return step()
    } finally {
      this.#depth--
    }
  }

  /** The same, if there is a doubt at all. */
  if<T>(isDoubtful: boolean, step: () => T): T {
    return isDoubtful ? this.within(step) : step()
  }

  /** What comes after this program may not run, or not mean what it says. */
  after(program: string): void {
    if (TURNS.test(program)) this.#mayBeOver = true
  }

  mark(effect: Effect): Effect {
    if (effect.do !== 'destroy' && effect.do !== 'write') return effect
    return { ...effect, sure: effect.sure !== false && this.#depth === 0 && !this.#mayBeOver }
  }
}

const TURNS = /^(exit|return|break|continue|exec|logout|die|kill|alias|enable|shopt|trap)$/

/** Programs that run another one for what they find, which may be nothing. */
export const runsForEach = (program: string): boolean => /^(g?find|fd|fdfind|g?xargs|parallel)$/.test(program)
