import { median } from '../bench/reaches.ts'

const MB = 1e6
/** How much larger than early in the run the daemon may be at its end. */
const GROWTH = { share: 1.3, bytes: 30 * MB }

/** What happened so far. */
export class Tally {
  readonly #captures: number[] = []
  readonly #resident: number[] = []
  readonly #faults = new Map<string, number>()
  readonly #started = performance.now()
  #files = 0
  quietPoints = 0
  drifts = 0

  captured(seconds: number, files: number): void {
    this.#captures.push(seconds)
    this.#files = files
  }

  /** Something that is allowed to happen now and then. */
  faulted(code: string): void {
    this.#faults.set(code, (this.#faults.get(code) ?? 0) + 1)
  }

  resides(bytes: number): void {
    this.#resident.push(bytes)
  }

  get seconds(): number {
    return (performance.now() - this.#started) / 1000
  }

  /** The medians of the second fifth of the run and of the last; 0 in a run too short to tell. */
  get growth(): { readonly early: number; readonly late: number } {
    const fifth = Math.floor(this.#resident.length / 5)
    const part = (from: number, to?: number) => median(this.#resident.slice(from, to)) ?? 0
    return { early: part(fifth, 2 * fifth), late: part(-fifth) }
  }

  get isGrowing(): boolean {
    const { early, late } = this.growth
    return early > 0 && late > early * GROWTH.share + GROWTH.bytes
  }

  /** One line. */
  brief(): string {
    const last = this.#resident.at(-1) ?? 0
    return `${this.seconds.toFixed(0)} s: ${this.#times()}, ${this.#files} files, ${this.#points()}, ${megabytes(last)}`
  }

  summary(): string {
    const { early, late } = this.growth
    const faults = [...this.#faults].map(([code, count]) => `${code} ${count} ×`).join(', ') || 'none'
    return [
      `Captures       ${this.#times()}`,
      `Files          ${this.#files} in the end`,
      `Asked again    ${faults}`,
      `Quiet points   ${this.#points()}`,
      `Daemon memory  ${megabytes(early)} in the second fifth, ${megabytes(late)} in the last, ${megabytes(Math.max(0, ...this.#resident))} at most`,
    ].join('\n')
  }

  #times(): string {
    const ms = (seconds = 0) => `${(seconds * 1000).toFixed(1)} ms`
    const sorted = this.#captures.toSorted((a, b) => a - b)
    const late = sorted[Math.floor(sorted.length * 0.99)]
    return `${sorted.length} captures, median ${ms(median(sorted))}, 99 % within ${ms(late)}`
  }

  #points(): string {
    return `${this.quietPoints} compared, drift at ${this.drifts}`
  }
}

const megabytes = (bytes: number): string => `${(bytes / MB).toFixed(0)} MB`
