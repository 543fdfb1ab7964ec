import { ROOT } from '../../schema/path.ts'
import { headOf } from '../../timeline/scan/folder.ts'
import { Folders } from '../../timeline/scan/folders.ts'
import { saveScan } from '../../timeline/scan/save-scan.ts'
import { loadScanIndex, type ScanIndex } from '../../timeline/scan/scan-index.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'

/** When more folders than this in memory differ from the saved scan, `settle` drops from memory what the file holds. */
const HEAVY = 500

/** The state of the last scan, in memory; and in a file, for a process that starts without it. */
export class RememberedScan {
  readonly #file: string
  #state: ScanState | undefined
  #isSaved = true

  constructor(file: string) {
    this.#file = file
  }

  get now(): ScanState | undefined {
    return this.#state
  }

  get isSaved(): boolean {
    return this.#isSaved
  }

  set(state: ScanState): void {
    this.#isSaved = this.#isSaved && state.folders === this.#state?.folders
    this.#state = state
  }

  save(): void {
    if (this.#isSaved || this.#state === undefined) return
    saveScan(this.#file, this.#state)
    this.#isSaved = true
  }

  load(): ScanIndex | undefined {
    return loadScanIndex(this.#file)
  }

  /** Saves the state, then returns the scan in the file, which another process may have written since. */
  loadSaved(): ScanIndex | undefined {
    this.save()
    if (this.#state?.folders.isDirty !== false || this.#state.last === undefined) this.lighten()
    const { last, folders } = this.#state ?? {}
    return last && folders?.isOf(last) ? last : this.load()
  }

  /** Saves the state, and keeps in memory only what differs from the file if that is a lot. */
  settle(): void {
    this.save()
    if (this.#state && this.#state.folders.burden > HEAVY) this.lighten()
  }

  lighten(): void {
    const state = this.#state
    const last = this.load()
    if (state === undefined || last === undefined || last.rules !== state.rules || last.epoch !== state.epoch) return
    // Another process may have written the file meanwhile. If the hash of its root tree is the same, so is every
    // folder.
    const isSame = isSameTree(last.folder(ROOT), state.folders.get(ROOT))
    if (isSame) this.#state = { ...state, last, folders: new Folders(last) }
  }
}

const isSameTree = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(headOf(a).tree, headOf(b).tree) === 0
