import { lazily } from '../base/lazily.ts'

/**
 * Node's larger modules, loaded on first use: a command that finds no change needs none of them. Loading them would
 * take a tenth of a worker thread's time and a fiftieth of a command's.
 */
export const crypto = lazily(() => process.getBuiltinModule('node:crypto'))
export const zlib = lazily(() => process.getBuiltinModule('node:zlib'))
export const childProcess = lazily(() => process.getBuiltinModule('node:child_process'))
export const sqlite = lazily(() => process.getBuiltinModule('node:sqlite'))
