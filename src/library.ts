/**
 * The library: the same tools as the command line, with their types.
 *
 *     import { openTimewarp } from 'timewarp'
 *     const timewarp = openTimewarp({ home: '/home/me/.timewarp', cwd: '/home/me/project' })
 *     const { snapshot_id } = await timewarp.call('snapshot', { label: 'before' })
 *     await timewarp.call('restore', { snapshot_id })
 *     await timewarp.close()
 *
 * Only what this file exports is public.
 */
import type { z } from 'zod'
import { openApp } from './app/app.ts'
import type { Tools } from './protocol/catalogue.ts'
import { callTool } from './tools/call.ts'

export { Fault, type FaultCode } from './base/fault.ts'
export type { Tools } from './protocol/catalogue.ts'

export interface Timewarp {
  /** Runs a tool. Fails with a `Fault`. */
  call<N extends keyof Tools>(name: N, input?: z.input<Tools[N]['input']>): Promise<z.output<Tools[N]['output']>>
  /** Makes everything durable and closes the store. */
  close(): Promise<void>
}

export interface TimewarpOptions {
  /** The store's folder. */
  readonly home: string
  /** A call that names no workspace uses the workspace of this folder. */
  readonly cwd: string
  readonly progress?: (message: string, done?: number, total?: number) => void
}

export function openTimewarp({ home, cwd, progress = () => {} }: TimewarpOptions): Timewarp {
  const app = openApp({ home })
  return {
    call: async (name, input) => (await callTool({ app, cwd, progress }, name, input ?? {})).output as never,
    close: async () => {
      await app.settle()
      app.close()
    },
  }
}
