import { lazily } from '../base/lazily.ts'

/**
 * Node's larger modules, loaded when first used: whoever finds nothing changed needs none of them, and loading them would
 * take a thread a tenth of its time, and a command a fiftieth.
 */
export const crypto = lazily(() => process.getBuiltinModule('node:crypto'))
export const zlib = lazily(() => process.getBuiltinModule('node:zlib'))
export const childProcess = lazily(() => process.getBuiltinModule('node:child_process'))
export const sqlite = lazily(() => process.getBuiltinModule('node:sqlite'))
