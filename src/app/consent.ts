import { Fault } from '../base/fault.ts'
import { sha256, toHex } from '../host/hash.ts'
import { textOf } from '../protocol/render.ts'
import type { Spec } from '../protocol/spec.ts'

/** The consent fields of a tool's input. */
interface Consent {
  readonly yes: boolean
  readonly confirm?: string | undefined
}

/**
 * Refuses an act that cannot be undone until the caller confirms exactly this plan, which a dry run prints. The token
 * is a hash of the plan: when the plan has changed since, the token no longer counts.
 */
export function checkConsent(spec: Spec, { yes, confirm }: Consent, plan: object): void {
  if (yes) return
  const token = toHex(sha256(Buffer.from(JSON.stringify([spec.name, plan])))).slice(0, 16)
  if (confirm === undefined)
    throw new Fault('CONFIRM_NEEDED', {
      tool: spec.name,
      would: textOf(spec, plan),
      confirm: token,
      ...(spec.question ? { question: spec.question(plan as never) } : {}),
    })
  if (confirm !== token) throw new Fault('CONFIRM_WRONG', { tool: spec.name })
}
