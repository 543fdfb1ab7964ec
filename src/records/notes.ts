import type { Database } from '../host/database.ts'
import type { RelPath } from '../schema/path.ts'
import type { GitKeepRecord } from './git-keeps.ts'
import type { IssueRecord } from './issues.ts'
import type { MilestoneRecord } from './milestones.ts'
import type { PromptRecord } from './prompts.ts'
import type { SessionRecord } from './sessions.ts'
import type { TravelRecord } from './travels.ts'

/**
 * A later fact about something recorded. It is also stored as an object, so that a rebuild from the packs alone has it.
 */
export type Note =
  | { readonly note: 'workspace'; readonly id: string; readonly root: string; readonly created_at: number }
  | { readonly note: 'pin'; readonly id: string; readonly pinned: boolean; readonly at: number }
  | { readonly note: 'label'; readonly id: string; readonly label: string | null; readonly at: number }
  | { readonly note: 'content'; readonly id: string; readonly at: number }
  | { readonly note: 'removed'; readonly id: string; readonly at: number }
  | { readonly note: 'doubt'; readonly id: string; readonly paths: readonly RelPath[]; readonly at: number }
  | ({ readonly note: 'prompt' } & PromptRecord)
  | ({ readonly note: 'session'; readonly at: number } & SessionRecord)
  | ({ readonly note: 'milestone'; readonly at: number } & MilestoneRecord)
  | ({ readonly note: 'git_keep'; readonly at: number } & GitKeepRecord)
  | ({ readonly note: 'issue'; readonly at: number } & IssueRecord)
  | ({ readonly note: 'travel'; readonly at: number } & TravelRecord)

/**
 * The key of what a note is about. It includes the workspace where ids come from a client: another workspace may have
 * the same.
 */
export const subjectOf = (note: Note): string =>
  note.note === 'prompt' || note.note === 'session' ? `${note.workspace}/${note.id}` : note.id

/** The objects that are notes, and their subjects. Only the newest note of a kind counts; older ones may be removed. */
export class Notes {
  readonly #db: Database

  constructor(db: Database) {
    this.#db = db
  }

  add(object: Uint8Array, subject: string, kind: string): void {
    this.#db.run('DELETE FROM notes WHERE subject = ? AND kind = ?', subject, kind)
    this.#db.run('INSERT OR REPLACE INTO notes VALUES (?, ?, ?)', object, subject, kind)
  }

  all(): { object: Uint8Array; subject: string; kind: string }[] {
    return this.#db.all('SELECT object, subject, kind FROM notes')
  }

  forget(object: Uint8Array): void {
    this.#db.run('DELETE FROM notes WHERE object = ?', object)
  }
}

export const encodeNote = (note: Note): Buffer => Buffer.from(JSON.stringify(note))
export const decodeNote = (bytes: Uint8Array): Note => JSON.parse(Buffer.from(bytes).toString()) as Note
