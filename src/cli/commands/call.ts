import { z } from 'zod'
import { Fault } from '../../base/fault.ts'
import { command } from '../command.ts'
import { type Context, openDesk, workspaceOf } from '../context.ts'
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
    const desk = await openDesk(context)
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
  } catch (error) {
    const { message } = error as SyntaxError
    throw bad(`The input is not JSON at ${placeOf(message, text)}: ${message.split(/ in JSON|, "|, \.\.\./)[0]}`)
  }
}

/** `position 15 (line 1 column 16)`, which the engine tells for some mistakes only. */
function placeOf(message: string, text: string): string {
  const at = toldPosition(message) ?? mistakeIn(text)
  const lines = text.slice(0, at).split('\n')
  return `position ${at} (line ${lines.length} column ${(lines.at(-1)?.length ?? 0) + 1})`
}

function toldPosition(message: string): number | undefined {
  const position = /at position (\d+)/.exec(message)?.[1]
  return position === undefined ? undefined : Number(position)
}

/** The length of the longest beginning that could still become JSON. */
function mistakeIn(text: string): number {
  let good = 0
  let bad = text.length + 1
  while (bad - good > 1) {
    const middle = Math.floor((good + bad) / 2)
    if (mayGoOn(text.slice(0, middle))) good = middle
    else bad = middle
  }
  return good
}

function mayGoOn(beginning: string): boolean {
  try {
    JSON.parse(beginning)
    return true
  } catch (error) {
    const { message } = error as SyntaxError
    return message.startsWith('Unexpected end') || toldPosition(message) === beginning.length
  }
}
