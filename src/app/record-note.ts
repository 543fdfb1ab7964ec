import type { Note } from '../records/notes.ts'
import { writeDown as writeDownIn } from '../timeline/capture/record-note.ts'
import type { ToolCall } from './handler.ts'

/** As `writeDownIn`, for the app of a call. */
export const writeDown = ({ app }: ToolCall, change: () => Note): void => writeDownIn(app, change)
