import { ROOT } from '../../schema/path.ts'
import { headOf } from '../../timeline/scan/folder.ts'
import { Folders } from '../../timeline/scan/folders.ts'
import { saveScan } from '../../timeline/scan/save-scan.ts'
import { loadScanIndex, type ScanIndex } from '../../timeline/scan/scan-index.ts'
import type { ScanState } from '../../timeline/scan/scan-result.ts'

/** Records beyond this many that differ from the scan in the file are written into it when there is time. */
const HEAVY = 500

/** The state of the last look, in memory; and in a file, for a process that begins without it. */
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

  /** The scan in the file, after it has got what is in memory; another process may have written it since. */
  loadSaved(): ScanIndex | undefined {
    this.save()
    if (this.#state?.folders.isDirty !== false || this.#state.last === undefined) this.lighten()
    const { last, folders } = this.#state ?? {}
    return last && folders?.isOf(last) ? last : this.load()
  }

  /** When there is time: the file gets what is in memory, and memory holds no more than what differs from it. */
  settle(): void {
    this.save()
    if (this.#state && this.#state.folders.burden > HEAVY) this.lighten()
  }

  lighten(): void {
    const state = this.#state
    const last = this.load()
    if (state === undefined || last === undefined || last.rules !== state.rules || last.epoch !== state.epoch) return
    // Another process may have written the file meanwhile. If its whole tree is the same, so is every folder.
    const isSame = isSameTree(last.folder(ROOT), state.folders.get(ROOT))
    if (isSame) this.#state = { ...state, last, folders: new Folders(last) }
  }
}

const isSameTree = (a: Uint8Array | undefined, b: Uint8Array | undefined): boolean =>
  a !== undefined && b !== undefined && Buffer.compare(headOf(a).tree, headOf(b).tree) === 0
