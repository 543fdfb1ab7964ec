import { expect, test } from 'vitest'
import { CATALOGUE } from '../protocol/catalogue.ts'
import { describeTools } from '../protocol/describe.ts'
import { openApi } from './openapi.ts'

interface Operation {
  readonly operationId: string
  readonly summary: string
  readonly requestBody?: { readonly content: Content }
  readonly responses: Readonly<Record<string, { readonly description: string; readonly content: Content }>>
}
type Content = Readonly<Record<string, { readonly schema: { readonly $ref?: string } }>>
type Json = { readonly [key: string]: Json }

const document = JSON.parse(JSON.stringify(openApi('1.2.3', await describeTools()))) as {
  readonly openapi: string
  readonly info: { readonly version: string }
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>
} & Json

/** What a local reference points to. */
const follow = (ref: string): Json | undefined =>
  ref
    .replace(/^#\//, '')
    .split('/')
    .reduce<Json | undefined>((at, key) => at?.[key], document)

const operations = Object.values(document.paths).flatMap((path) => Object.values(path))

test('it says what it is and how to get in', () => {
  expect(document.openapi).toBe('3.1.0')
  expect(document.info.version).toBe('1.2.3')
  expect(document['security']).toEqual([{ bearer: [] }])
  expect(follow('#/components/securitySchemes/bearer')).toMatchObject({ type: 'http', scheme: 'bearer' })
})

test.each(CATALOGUE.map(({ tool }) => tool))('%s has its path, summary, input, output and faults', async (tool) => {
  const call = document.paths[`/v1/call/${tool}`]?.['post']
  const spec = await CATALOGUE.find((entry) => entry.tool === tool)?.load()
  expect(call?.summary).toBe(spec?.summary)
  const input = follow(call?.requestBody?.content['application/json']?.schema.$ref ?? '')
  expect(Object.keys(input?.['properties'] ?? {})).toEqual(Object.keys(spec?.input.shape ?? {}))
  const output = follow(call?.responses['200']?.content['application/json']?.schema.$ref ?? '')
  expect(Object.keys(output?.['properties'] ?? {})).toEqual(Object.keys(spec?.output.shape ?? {}))
  expect(call?.responses['400']?.description).toContain('BAD_INPUT')
  expect(call?.responses['503']?.description).toContain('WORKSPACE_BUSY')
  expect(call?.responses['500']?.content['application/json']?.schema.$ref).toBe('#/components/schemas/fault')
})

test('every reference leads somewhere in the document', () => {
  const refs = [...JSON.stringify(document).matchAll(/"\$ref":"([^"]+)"/g)].map((match) => match[1] ?? '')
  expect(refs.length).toBeGreaterThan(3 * CATALOGUE.length)
  expect(refs.filter((ref) => typeof follow(ref) !== 'object')).toEqual([])
})

test('every operation has a name of its own', () => {
  const names = operations.map(({ operationId }) => operationId)
  expect(new Set(names).size).toBe(names.length)
  expect(names).toEqual(expect.arrayContaining(['list_tools', 'health', 'events']))
})

test('no schema speaks a dialect of its own', () => {
  expect(JSON.stringify(document['components'])).not.toContain('$schema')
})
