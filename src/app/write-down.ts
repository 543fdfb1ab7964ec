import type { Note } from '../records/notes.ts'
import { writeDown as writeDownIn } from '../timeline/capture/write-down.ts'
import type { Call } from './handler.ts'

/** As in the timeline, for the house of a call. */
export const writeDown = ({ house }: Call, change: () => Note): void => writeDownIn(house, change)
