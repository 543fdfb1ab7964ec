import { Fault } from './fault.ts'
import { oneLined, visible } from './visible.ts'

/** A fault for people. What it tells of stays on its line, and is visible. */
export function faultText(fault: Fault): string {
  const { message, hint } = new Fault(fault.code, oneLined(fault.data))
  return visible(`Error: ${message}${hint === undefined ? '' : `\nHint: ${hint}`}`)
}
