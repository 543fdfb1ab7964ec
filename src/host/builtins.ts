import { lazily } from '../base/lazily.ts'

/**
 * Node's larger modules, loaded when first used: a thread that finds nothing changed needs none of them,
 * and loading them would take it a tenth of its time.
 */
export const crypto = lazily(() => process.getBuiltinModule('node:crypto'))
export const zlib = lazily(() => process.getBuiltinModule('node:zlib'))
export const sqlite = lazily(() => process.getBuiltinModule('node:sqlite'))
