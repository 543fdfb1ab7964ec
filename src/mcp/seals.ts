import { createRequestStateCodec, type RequestStateCodec } from '@modelcontextprotocol/server'
import { crypto } from '../host/builtins.ts'
import { Confirmations } from './confirm.ts'
import type { Round } from './desk.ts'

export interface Seals {
  readonly confirmations: Confirmations
  readonly rounds: RequestStateCodec<Round>
}

/** Tokens and seals of this process: nobody else can make them, and they end with it. */
export const openSeals = (): Seals => ({
  confirmations: new Confirmations({
    now: () => performance.now(),
    newToken: () => crypto().randomBytes(12).toString('base64url'),
  }),
  rounds: createRequestStateCodec({ key: crypto().randomBytes(32) }),
})
