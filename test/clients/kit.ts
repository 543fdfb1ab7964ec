import { describe } from 'vitest'
import { type ClientName, clientProgram } from '../../scripts/clients.ts'

/** Tests with a client; left out when it is not installed. `setup.ts` has said how to get it. */
export function withClient(name: ClientName, tests: (program: string) => void): void {
  const program = clientProgram(name)
  describe.skipIf(program === undefined)(name, () => tests(program ?? ''))
}
