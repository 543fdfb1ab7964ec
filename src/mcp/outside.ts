import { basename, dirname, join, resolve } from 'node:path'
import { realPath } from '../host/files/fs.ts'
import { needsConsent, reachedBy } from '../protocol/consent.ts'
import type { McpCallRequest, McpServices } from './api.ts'
import type { CheckedCall } from './mcp-session.ts'

/** Whether the user must confirm this call. */
export async function asksFirst(
  rooms: McpServices,
  { spec, input }: CheckedCall,
  asked: McpCallRequest,
): Promise<boolean> {
  const files = reachedBy(spec, input).filter(({ reach }) => reach === 'reads')
  const outside = files.map(({ value }) => value).filter((file) => isOutside(asked.cwd, file))
  const own = outside.length > 0 ? await transcriptsOf(rooms, asked) : new Set()
  return needsConsent(spec, input, (file) => outside.includes(file) && !own.has(resolve(asked.cwd, file)))
}

/** Compares real paths: symbolic links are resolved. */
function isOutside(root: string, file: string): boolean {
  const [place, folder] = [whereabouts(resolve(root, file)), whereabouts(root)]
  return place !== folder && !place.startsWith(`${folder}/`)
}

/** The real path of a file, which need not exist yet. */
function whereabouts(path: string): string {
  try {
    return realPath(path)
  } catch {
    return dirname(path) === path ? path : join(whereabouts(dirname(path)), basename(path))
  }
}

/** The transcripts of the workspace's sessions, as the hooks of clients reported them. */
async function transcriptsOf(rooms: McpServices, asked: McpCallRequest): Promise<ReadonlySet<string>> {
  const list = rooms.call('session_list', { workspace: asked.cwd, limit: 100 }, asked)
  const { sessions } = (await list.catch(() => ({ sessions: [] }))) as Listed
  return new Set(sessions.flatMap(({ transcript }) => transcript ?? []))
}

interface Listed {
  readonly sessions: readonly { readonly transcript: string | null }[]
}
