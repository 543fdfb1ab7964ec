import { dirname } from 'node:path'
import { http } from '../host/builtins.ts'
import { type DaemonPlace, isOurs } from './daemon-files.ts'

/** How others hand a client's hook to the daemon. */

/** Clients wait for their hooks; so long one may take. */
const HOOK_MS = 8000

/** The header in which a hook names the folder its client was started for, as latin-1 of its bytes. */
const PROJECT_HEADER = 'timewarp-project'

/** What the client is to be told; undefined when no daemon could say. */
export function askHook(
  place: DaemonPlace,
  client: string,
  body: Uint8Array,
  project: string | undefined,
): Promise<string | undefined> {
  if (!isOurs(dirname(place.socket))) return Promise.resolve(undefined)
  const headers = {
    'Content-Type': 'application/json',
    'Content-Length': body.length,
    ...(project === undefined || hasControl(project)
      ? {}
      : { [PROJECT_HEADER]: Buffer.from(project).toString('latin1') }),
  }
  return new Promise((resolve) => {
    const options = { socketPath: place.socket, method: 'POST', path: `/v1/hook/${client}`, headers, timeout: HOOK_MS }
    const asked = http().request(options, (answer) => {
      const parts: Buffer[] = []
      answer.on('data', (bytes: Buffer) => parts.push(bytes))
      answer.on('end', () => resolve(answer.statusCode === 200 ? Buffer.concat(parts).toString() : undefined))
      answer.on('error', () => resolve(undefined))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
    asked.end(body)
  })
}

// oxlint-disable-next-line no-control-regex -- what no header may hold
const hasControl = (name: string): boolean => /[\0-\x1f\x7f]/.test(name)
