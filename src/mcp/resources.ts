import type { ReadResourceResult, Resource, ResourceTemplateType } from '@modelcontextprotocol/server'
import { bytesFromBase64 } from '../base/text.ts'
import { BINARY, imageType, utf8 } from './content.ts'
import type { ToolSet } from './tool-set.ts'
import { type Address, PRESENT, snapshotUri } from './uri.ts'

/** Snapshots, their files and differences, as resources. A tool reads each, and it is offered only if that tool is. */

/** Runs a tool and returns its output. */
export type RunTool = (tool: string, input: object) => Promise<object>

/** The list has this many of the newest snapshots; all others can be read as well. */
const LISTED = 50

const JSON_TYPE = 'application/json'
const DIFF_TYPE = 'text/x-diff'

interface Template {
  /** The tool that reads it. */
  readonly tool: string
  readonly about: ResourceTemplateType
}

const TEMPLATES: readonly Template[] = [
  {
    tool: 'show',
    about: {
      uriTemplate: 'timewarp://snapshot/{id}',
      name: 'snapshot',
      title: 'Snapshot',
      description: 'Everything about a snapshot; id may be latest or the beginning of an id',
      mimeType: JSON_TYPE,
    },
  },
  {
    tool: 'cat',
    about: {
      uriTemplate: 'timewarp://snapshot/{id}/file/{+path}',
      name: 'file',
      title: 'File of a snapshot',
      description: 'A file as a snapshot has it',
    },
  },
  {
    tool: 'diff',
    about: {
      uriTemplate: 'timewarp://diff/{a}/{b}',
      name: 'diff',
      title: 'Difference of two snapshots',
      description: `What changed between two snapshots; b may be ${PRESENT}`,
      mimeType: DIFF_TYPE,
    },
  },
]

export const templatesOf = (offer: ToolSet): ResourceTemplateType[] =>
  TEMPLATES.filter(({ tool }) => offer.has(tool)).map(({ about }) => about)

interface Listed {
  readonly snapshots: readonly {
    readonly snapshot_id: string
    readonly created_at: string
    readonly label: string | null
    readonly source: string
    readonly tool: string | null
    readonly description: string | null
    readonly stats: { readonly changed_files: number }
  }[]
}

export async function listSnapshots(run: RunTool): Promise<Resource[]> {
  const { snapshots } = (await run('get_edit_history', { limit: LISTED })) as Listed
  return snapshots.map((s) => ({
    uri: snapshotUri(s.snapshot_id),
    name: s.snapshot_id,
    title: [s.label ?? s.tool ?? s.source, s.created_at].join(', '),
    ...(s.description ? { description: s.description } : {}),
    mimeType: JSON_TYPE,
    annotations: { lastModified: s.created_at },
  }))
}

/** The tool that reads an address. */
export const toolFor = (address: Address): string => READERS[address.kind].tool

export async function readResource(run: RunTool, uri: string, address: Address): Promise<ReadResourceResult> {
  const { tool, input, contents } = READERS[address.kind] as Reader<Address>
  const output = (await run(tool, input(address))) as Readonly<Record<string, unknown>>
  return { contents: [{ uri, ...contents(output) }] }
}

type Contents = { mimeType: string } & ({ text: string } | { blob: string })

interface Reader<A extends Address> {
  readonly tool: string
  readonly input: (address: A) => object
  readonly contents: (output: Readonly<Record<string, unknown>>) => Contents
}

const READERS: { readonly [K in Address['kind']]: Reader<Extract<Address, { kind: K }>> } = {
  snapshot: {
    tool: 'show',
    input: ({ id }) => ({ snapshot_id: id }),
    contents: (output) => ({ mimeType: JSON_TYPE, text: JSON.stringify(output, undefined, 2) }),
  },
  file: {
    tool: 'cat',
    input: ({ id, path }) => ({ snapshot_id: id, path }),
    contents: (output) => bytesContents(output['content'], output['content_base64'], 'text/plain'),
  },
  diff: {
    tool: 'diff',
    input: ({ from, to }) => ({ from, ...(to === PRESENT ? {} : { to }), format: 'git' }),
    contents: (output) =>
      bytesContents(output['diff_base64'] === undefined ? output['diff'] : null, output['diff_base64'], DIFF_TYPE),
  },
}

/** As text if there is any, else as bytes. */
function bytesContents(text: unknown, base64: unknown, mimeType: string): Contents {
  if (typeof text === 'string') return { mimeType, text }
  const blob = typeof base64 === 'string' ? base64 : ''
  const bytes = bytesFromBase64(blob)
  const decoded = utf8(bytes)
  return decoded === undefined ? { mimeType: imageType(bytes) ?? BINARY, blob } : { mimeType, text: decoded }
}
