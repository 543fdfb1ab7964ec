import { Refusal } from './refusal.ts'

export type Route =
  | { readonly name: 'tools' | 'openapi' | 'health' | 'events' | 'command' }
  | { readonly name: 'call'; readonly tool: string }
  | { readonly name: 'hook'; readonly client: string }

interface Address {
  readonly method: 'GET' | 'POST'
  readonly route: Route
}

const ADDRESSES: Readonly<Record<string, Address>> = {
  '/v1/tools': { method: 'GET', route: { name: 'tools' } },
  '/v1/openapi.json': { method: 'GET', route: { name: 'openapi' } },
  '/v1/health': { method: 'GET', route: { name: 'health' } },
  '/v1/events': { method: 'GET', route: { name: 'events' } },
  '/v1/command': { method: 'POST', route: { name: 'command' } },
}

/** Where a request leads. `takesCommands` says whether whole command lines are taken at all. */
export function findRoute(method: string, path: string, takesCommands: boolean): Route {
  const address = callAt(path) ?? hookAt(path) ?? (Object.hasOwn(ADDRESSES, path) ? ADDRESSES[path] : undefined)
  if (address === undefined || (address.route.name === 'command' && !takesCommands)) throw new Refusal('ROUTE_UNKNOWN')
  if (address.method !== method) throw new Refusal('METHOD_REFUSED', { Allow: address.method })
  return address.route
}

function hookAt(path: string): Address | undefined {
  const client = /^\/v1\/hook\/([a-z]+)$/.exec(path)?.[1]
  return client === undefined ? undefined : { method: 'POST', route: { name: 'hook', client } }
}

/** Tools are called by names of plain letters; there is nothing to decode. */
function callAt(path: string): Address | undefined {
  const tool = /^\/v1\/call\/([\w.-]+)$/.exec(path)?.[1]
  return tool === undefined ? undefined : { method: 'POST', route: { name: 'call', tool } }
}
