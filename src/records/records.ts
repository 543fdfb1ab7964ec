import type { Database } from '../host/database.ts'
import { migrate } from '../host/database.ts'
import { Calls } from './calls.ts'
import { Doubts } from './doubts.ts'
import { Gaps } from './gaps.ts'
import { GitKeeps } from './git-keeps.ts'
import { Issues } from './issues.ts'
import { Journals, SnapshotHolds } from './journals.ts'
import { Leases } from './leases.ts'
import { Milestones } from './milestones.ts'
import { Notes } from './notes.ts'
import { Prompts } from './prompts.ts'
import { Sessions } from './sessions.ts'
import { Snapshots } from './snapshots.ts'
import { STEPS } from './tables.ts'
import { Travels } from './travels.ts'
import { Workspaces } from './workspaces.ts'

/** The records: workspaces, snapshots, calls, locks. The single source of truth, in SQL. */
export class Records {
  readonly db: Database
  readonly workspaces: Workspaces
  readonly snapshots: Snapshots
  readonly leases: Leases
  readonly journals: Journals
  readonly holds: SnapshotHolds
  readonly notes: Notes
  readonly milestones: Milestones
  readonly gitKeeps: GitKeeps
  readonly sessions: Sessions
  readonly prompts: Prompts
  readonly calls: Calls
  readonly gaps: Gaps
  readonly issues: Issues
  readonly travels: Travels
  readonly doubts: Doubts

  constructor(db: Database, now: () => number) {
    this.db = db
    migrate(db, 'records', STEPS)
    this.workspaces = new Workspaces(db)
    this.snapshots = new Snapshots(db)
    this.leases = new Leases(db, now)
    this.journals = new Journals(db)
    this.holds = new SnapshotHolds(db)
    this.notes = new Notes(db)
    this.milestones = new Milestones(db)
    this.gitKeeps = new GitKeeps(db)
    this.sessions = new Sessions(db)
    this.prompts = new Prompts(db)
    this.calls = new Calls(db)
    this.gaps = new Gaps(db)
    this.issues = new Issues(db)
    this.travels = new Travels(db)
    this.doubts = new Doubts(db)
  }

  /**
   * Whether the workspace has anything that its state.json or its issue folders show. One query, because every capture
   * asks.
   */
  hasWork(workspace: string): boolean {
    const sql = `SELECT EXISTS (SELECT 1 FROM sessions WHERE workspace = ? AND snapshot_id IS NOT NULL)
      OR EXISTS (SELECT 1 FROM issues WHERE workspace = ?)
      OR EXISTS (SELECT 1 FROM travels WHERE workspace = ?) AS found`
    return this.db.get<{ found: number }>(sql, workspace, workspace, workspace)?.found === 1
  }
}
