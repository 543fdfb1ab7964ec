import { z } from 'zod'
import { common, spec } from './spec.ts'

export const Redact = spec({
  name: 'redact',
  summary: 'Take the secrets out of a text',
  effect: 'read',
  group: 'travel',
  recovers: false,
  input: z.object({
    ...common,
    text: z.string().describe('The text. Values in the .env files of the workspace count as secrets as well'),
  }),
  output: z.object({
    text: z.string().describe('The same, with ***REDACTED*** for each secret'),
    redacted: z.number().describe('How many secrets there were'),
  }),
  faults: [],
  text: (out) => out.text,
})
