import { Refusal } from './refusal.ts'

export type Route =
  | { readonly name: 'tools' | 'openapi' | 'health' | 'events' | 'command' | 'cancel' | 'mcp' }
  | { readonly name: 'call'; readonly tool: string }
  | { readonly name: 'hook'; readonly client: string }

interface Address {
  readonly methods: readonly string[]
  readonly route: Route
}

const ADDRESSES: Readonly<Record<string, Address>> = {
  '/v1/tools': { methods: ['GET'], route: { name: 'tools' } },
  '/v1/openapi.json': { methods: ['GET'], route: { name: 'openapi' } },
  '/v1/health': { methods: ['GET'], route: { name: 'health' } },
  '/v1/events': { methods: ['GET'], route: { name: 'events' } },
  '/v1/command': { methods: ['POST'], route: { name: 'command' } },
  '/v1/cancel': { methods: ['POST'], route: { name: 'cancel' } },
  '/mcp': { methods: ['GET', 'POST', 'DELETE'], route: { name: 'mcp' } },
}

/** Routes that not every listener offers. */
export interface Open {
  /** Whether whole command lines are accepted. */
  readonly command: boolean
  /** Whether agents are served over MCP. */
  readonly mcp: boolean
}

/** The route of a request. */
export function findRoute(method: string, path: string, open: Open): Route {
  const address = callAt(path) ?? hookAt(path) ?? (Object.hasOwn(ADDRESSES, path) ? ADDRESSES[path] : undefined)
  if (address === undefined || isClosed(address.route, open)) throw new Refusal('ROUTE_UNKNOWN')
  if (!address.methods.includes(method)) throw new Refusal('METHOD_REFUSED', { Allow: address.methods.join(', ') })
  return address.route
}

const isClosed = ({ name }: Route, open: Open): boolean =>
  (name === 'mcp' && !open.mcp) || ((name === 'command' || name === 'cancel') && !open.command)

function hookAt(path: string): Address | undefined {
  const client = /^\/v1\/hook\/([a-z]+)$/.exec(path)?.[1]
  return client === undefined ? undefined : { methods: ['POST'], route: { name: 'hook', client } }
}

/** Names of tools consist of plain letters; there is nothing to decode. */
function callAt(path: string): Address | undefined {
  const tool = /^\/v1\/call\/([\w.-]+)$/.exec(path)?.[1]
  return tool === undefined ? undefined : { methods: ['POST'], route: { name: 'call', tool } }
}
