import type { Hash } from 'node:crypto'
import { crypto } from '../host/builtins.ts'

export const sha256 = (bytes: Uint8Array): Buffer => crypto().hash('sha256', bytes, 'buffer')
/** For what does not come in one piece. */
export const newHash = (): Hash => crypto().createHash('sha256')
export const toHex = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
export const fromHex = (id: string): Buffer => Buffer.from(id, 'hex')
/** A hash as the key of a map: one character per byte, a quarter of the memory of hexadecimal digits. */
export const keyOf = (bytes: Uint8Array): string =>
  (bytes instanceof Buffer ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength)).toString('latin1')
export const fromKey = (key: string): Buffer => Buffer.from(key, 'latin1')
