import { rules } from '@secretlint/secretlint-rule-preset-recommend'
import type { Range } from './range.ts'

/**
 * The recommended rules of secretlint. A separate entry of the bundle, so that a command that redacts nothing need not
 * load it.
 *
 * The rules are called one by one and not through secretlint's core, which is asynchronous for the sake of files. Two
 * are left out: the one with which a text can switch off the others, because the redacted text does not come from the
 * person who wants it redacted; and the one for npm's settings, which takes the whole rest of a line.
 */
const LEFT_OUT = /filter-comments$/
const NOT_TAKEN = new Set(['Npmrc_authToken', 'PrivateKeyJSON', 'PrivateKeyP12'])
/** These rules report a whole address; only a part of it is secret. */
const ADDRESSES = new Set([
  'BasicAuth',
  'IncomingWebhook',
  'MongoDBConnection',
  'MySQLConnection',
  'PostgreSQLConnection',
])

interface Told {
  readonly messageId: string
  readonly data: Readonly<Record<string, unknown>>
}

let told: { message: Told; start: number; end: number }[] = []

const context = {
  sharedOptions: {},
  createTranslator: () => (messageId: string, data: object) => ({ message: messageId, messageId, data }),
  report: ({ message, range }: { message: unknown; range: readonly [number, number] }) => {
    told.push({ message: message as Told, start: range[0], end: range[1] })
  },
  ignore: () => {},
} as unknown as Parameters<(typeof rules)[number]['create']>[0]

const handles = rules.filter(({ meta }) => !LEFT_OUT.test(meta.id)).map((rule) => rule.create(context, {}))

/** The secrets that the rules report. `isWhole`: only a part of the range is secret. */
export function findRecommended(text: string): (Range & { readonly isWhole: boolean })[] {
  told = []
  const source = { content: text, filePath: undefined, ext: '', contentType: 'text' }
  for (const handle of handles) void handle.file?.(source as unknown as Parameters<NonNullable<typeof handle.file>>[0])
  return told
    .filter(({ message }) => !NOT_TAKEN.has(message.messageId))
    .map(({ message, start, end }) => ({
      ...exact(text, message, start, end),
      isWhole: ADDRESSES.has(message.messageId),
    }))
}

/** Some rules report the position of a secret's name instead of the secret; they always report its text. */
function exact(text: string, { data }: Told, start: number, end: number): Range {
  const secret = Object.values(data ?? {}).find(
    (value): value is string => typeof value === 'string' && value.length > 3,
  )
  const at = secret === undefined ? -1 : text.indexOf(secret, start)
  return secret === undefined || at === -1 ? { start, end } : { start: at, end: at + secret.length }
}
