import { isVisible, visible } from '../base/visible.ts'
import type { Io } from './io.ts'

/**
 * Asks a question that one key answers, and prints the key after it. A terminal may deliver more than the key at once,
 * such as the Enter after it: only the first character counts.
 */
export async function askKey(io: Io, ask: NonNullable<Io['key']>, question: string): Promise<string> {
  io.out(`${visible(question)} `)
  const [key = ''] = await ask()
  io.out(isVisible(key) ? `${key}\n` : '\n')
  return key
}
