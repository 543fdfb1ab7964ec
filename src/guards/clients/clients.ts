import { claude, codex } from './claude.ts'
import type { ClientName, Guard } from './event.ts'
import { gemini } from './gemini.ts'
import { generic } from './generic.ts'
import { opencode } from './opencode.ts'

/** The clients whose hooks are supported. */
export const GUARDS: Readonly<Record<ClientName, Guard>> = { claude, opencode, codex, gemini, generic }

export const CLIENT_NAMES = Object.keys(GUARDS) as ClientName[]

export const isClient = (name: string): name is ClientName => Object.hasOwn(GUARDS, name)
