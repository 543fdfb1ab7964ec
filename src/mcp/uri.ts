/** The URIs of resources: a snapshot, a file in it, the difference of two. */

export type Address =
  | { readonly kind: 'snapshot'; readonly id: string }
  | { readonly kind: 'file'; readonly id: string; readonly path: string }
  | { readonly kind: 'diff'; readonly from: string; readonly to: string }

/** In place of a newer snapshot: the files as they are now. */
export const PRESENT = 'present'

export const snapshotUri = (id: string): string => `timewarp://snapshot/${id}`

export const fileUri = (id: string, path: string): string =>
  `timewarp://snapshot/${id}/file/${path.split('/').map(encodeURIComponent).join('/')}`

const diffUri = (from: string, to: string): string => `timewarp://diff/${from}/${to}`

/** Undefined when it is no URI of Timewarp. */
export function parseUri(uri: string): Address | undefined {
  const [kind, first = '', second, ...rest] = (/^timewarp:\/\/(.+)$/.exec(uri)?.[1] ?? '').split('/').map(decoded)
  if (first === '') return undefined
  if (kind === 'diff' && second && rest.length === 0) return { kind, from: first, to: second }
  if (kind !== 'snapshot') return undefined
  if (second === undefined) return { kind, id: first }
  return second === 'file' && rest.join('') !== '' ? { kind: 'file', id: first, path: rest.join('/') } : undefined
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part)
  } catch {
    return part
  }
}

/** The URI by which the bytes in a tool's output can be read again. */
export function uriOfOutput(tool: string, output: object): string {
  const out = output as Readonly<Record<string, unknown>>
  if (tool === 'cat') return fileUri(String(out['snapshot_id']), String(out['path']))
  const snapshot = out['snapshot'] as { snapshot_id: string } | undefined
  const [from, to] = snapshot ? [out['base'], snapshot.snapshot_id] : [out['from'], out['to']]
  return diffUri(String(from), typeof to === 'string' ? to : PRESENT)
}
