import { CLIENT_NAMES, clientProgram, howToGet } from '../../scripts/clients.ts'

/** Says what is missing: the tests of a client that is not there are left out. */
export default function setup(): void {
  for (const name of CLIENT_NAMES)
    if (clientProgram(name) === undefined) process.stderr.write(`Left out: ${howToGet(name)}\n`)
}
