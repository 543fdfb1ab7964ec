import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server'
import { crypto } from '../host/builtins.ts'
import { Confirmations } from './confirm.ts'
import type { PendingQuestion } from './mcp-session.ts'

export interface Sealing {
  readonly confirmations: Confirmations
  readonly rounds: RequestStateCodec<PendingQuestion>
}

/** Tokens and sealed states of this process: no other process can make them, and they are invalid after it ends. */
export const openSealing = (): Sealing => ({
  confirmations: new Confirmations({
    now: () => performance.now(),
    newToken: () => crypto().randomBytes(12).toString('base64url'),
  }),
  rounds: createRequestStateCodec({ key: crypto().randomBytes(32) }),
})
