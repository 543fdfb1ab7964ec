import { resolve } from 'node:path'
import { z } from 'zod'
import { command } from '../command.ts'
import type { Context } from '../context.ts'
import { printBytes, printJson } from '../output/print.ts'

export const RedactCommand = command({
  name: 'redact',
  summary: 'Copy standard input to standard output without its secrets',
  group: 'shell',
  input: z.object({ text: z.string().optional().describe('This text instead of standard input') }),
  verb: { examples: ['timewarp redact < chat.log > clean.log', 'git diff | timewarp redact'] },
  run: async (context, { text }) => (context.globals.json ? asJson(context, text) : asBytes(context, text)),
})

/** Streams input of any size in little memory; everything but secrets is copied byte for byte. */
async function asBytes(context: Context, text: string | undefined): Promise<number> {
  const { io } = context
  const { ByteRedaction } = await import('../../secrets/bytes.ts')
  const redaction = new ByteRedaction({ known: await known(context) })
  const parts = text === undefined ? (io.stdinParts?.() ?? [await io.stdin()]) : [new TextEncoder().encode(text)]
  for await (const part of parts) {
    printBytes(io, redaction.push(part))
    await io.drained?.()
  }
  printBytes(io, redaction.end())
  return 0
}

async function asJson(context: Context, given: string | undefined): Promise<number> {
  const { redactCounting } = await import('../../secrets/redact.ts')
  const text = given ?? new TextDecoder().decode(await context.io.stdin())
  printJson(context.io, redactCounting(text, { known: await known(context) }))
  return 0
}

/** The secrets in the `.env` files of the folder. */
async function known({ io, globals }: Context): Promise<string[]> {
  const { knownSecrets } = await import('../../secrets/known-secrets.ts')
  return knownSecrets(resolve(io.cwd, globals.dir ?? '.'))
}
