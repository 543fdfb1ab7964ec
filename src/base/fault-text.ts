import { Fault } from './fault.ts'
import { oneLined, visible } from './visible.ts'

/** A fault as text for people. Values in it stay on one line, and their control characters are made visible. */
export function faultText(fault: Fault): string {
  const { message, hint } = new Fault(fault.code, oneLined(fault.data))
  return visible(`Error: ${message}${hint === undefined ? '' : `\nHint: ${hint}`}`)
}
