import { type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { command } from '../command.ts'
import { type Context, openToolClient, workspaceOf } from '../context.ts'
import { printAnswer } from '../output/print.ts'

export const CallCommand = command({
  name: 'call',
  summary: 'Call a tool with JSON, and get JSON',
  group: 'shell',
  input: z.object({
    name: z.string().describe('The tool; timewarp tools lists them'),
    input: z.string().default('{}').describe('Its input, a JSON object; - reads it from standard input'),
  }),
  verb: {
    words: ['name', 'input'],
    examples: [
      'timewarp call status',
      `timewarp call snapshot '{"label":"before"}'`,
      'timewarp call restore - < in.json',
    ],
  },
  alwaysJson: true,
  run: async (context, { name, input }) => {
    const given = parse(input === '-' ? await standardInput(context) : input)
    const desk = await openToolClient(context)
    const { spec, output } = await desk.call(name, { ...workspaceOf(context.globals), ...given })
    return printAnswer(context.io, spec, output, true)
  },
})

const bad = (problem: string): Fault => new Fault('BAD_INPUT', { problem })

async function standardInput({ io }: Context): Promise<string> {
  const bytes = await io.stdin()
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes)
  } catch {
    throw bad('The input is not UTF-8.')
  }
}

function parse(text: string): object {
  const value = parseJson(text)
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw bad(`The input of a tool is a JSON object, such as '{"label":"before"}'.`)
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw bad(`The input is not JSON ${mistakeIn(text)}.`)
  }
}

/** Position and kind of the first mistake in JSON text. */
function mistakeIn(text: string): string {
  const errors: ParseError[] = []
  parseTree(text, errors, { disallowComments: true })
  const [{ error, offset } = { error: 1 as const, offset: 0 }] = errors
  const lines = text.slice(0, offset).split('\n')
  const column = (lines.at(-1)?.length ?? 0) + 1
  return `at position ${offset} (line ${lines.length} column ${column}): ${inWords(printParseErrorCode(error))}`
}

const inWords = (code: string): string => code.replace(/(?!^)[A-Z]/g, (letter) => ` ${letter}`).toLowerCase()
