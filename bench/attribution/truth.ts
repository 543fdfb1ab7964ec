import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

/**
 * What really happened in one workspace. Whoever writes puts lines into files that bear their name and no other line has, so
 * that the content itself tells who made a change; what leaves no line (a delete, a move, a copy) is noted by its path, and
 * such a path is used once.
 */

/** A tool call as the agent made it. */
export interface TrueCall {
  readonly id: string
  readonly session: string
  readonly kind: 'edit' | 'named' | 'opaque'
  readonly from: number
  /** When its end had been told. */
  to: number
}

/** Who made a change: a call by its id, or a person by name. */
export type Writer = string

const PERSON = 'P'
const CALL = 'A'

/** After the end of a call has been told, its capture takes a moment, on a busy machine a long one. */
const SETTLES_MS = 500

export class Truth {
  readonly root: string
  readonly windowMs: number
  readonly calls: TrueCall[] = []
  /** By path, when people wrote it, or the swap file beside it. */
  readonly #touched = new Map<string, number[]>()
  readonly #aside = new Set<string>()
  readonly #made = new Map<string, Writer>()
  readonly #renamed = new Map<string, Writer>()
  readonly #deleted = new Map<string, Writer>()
  /** When each line of a person was written. */
  readonly #written = new Map<string, number>()
  /** By path, the lines that were told of. */
  readonly #known = new Map<string, Set<string>>()
  #lines = 0

  constructor(root: string, windowMs: number) {
    this.root = root
    this.windowMs = windowMs
  }

  at(path: string): string {
    return join(this.root, path)
  }

  read(path: string): string {
    try {
      return readFileSync(this.at(path), 'utf8')
    } catch {
      return ''
    }
  }

  write(path: string, content: string): void {
    mkdirSync(dirname(this.at(path)), { recursive: true })
    writeFileSync(this.at(path), content)
  }

  /** A line that only this writer writes. */
  line(writer: Writer): string {
    this.#lines++
    const line = `${writer} ${this.#lines}`
    if (isPerson(writer)) this.#written.set(line, Date.now())
    return line
  }

  begin(call: Omit<TrueCall, 'from' | 'to'>): TrueCall {
    const begun = { ...call, from: Date.now(), to: Number.POSITIVE_INFINITY }
    this.calls.push(begun)
    return begun
  }

  /** A swap file or a draft: it lasts for a moment, and is nobody's work. */
  isAside(path: string): void {
    this.#aside.add(path)
  }

  /** All that this path holds was put there by one writer, whoever wrote the lines. */
  made(path: string, writer: Writer): void {
    this.#made.set(path, writer)
  }

  /** What this path holds at first was put there by one writer. */
  renamed(path: string, writer: Writer): void {
    this.#renamed.set(path, writer)
  }

  deleted(path: string, writer: Writer): void {
    this.#deleted.set(path, writer)
  }

  /** A person wrote this file, or the swap file beside it, just now. */
  touched(path: string): void {
    const times = this.#touched.get(path) ?? []
    times.push(Date.now())
    this.#touched.set(path, times)
  }

  /**
   * Everybody who had a hand in a change; empty if nobody is known to. To be asked of the oldest change first: who saves a
   * file in place empties it for a moment, and lines that come back are not written anew.
   */
  writersOf({ path, added, isDeleted }: { path: string; added: readonly string[]; isDeleted: boolean }): Set<Writer> {
    if (this.#aside.has(path)) return new Set()
    const whole = (isDeleted ? this.#deleted : this.#made).get(path)
    if (whole !== undefined) return new Set([whole])
    const isNew = !this.#known.has(path)
    const known = this.#known.get(path) ?? new Set()
    this.#known.set(path, known)
    const fresh = added.filter((line) => !known.has(line))
    for (const line of fresh) known.add(line)
    const first = isNew ? this.#renamed.get(path) : undefined
    if (first !== undefined) return new Set([first])
    return new Set(fresh.flatMap((line) => /^([AP] \S+) \d+$/.exec(line)?.[1] ?? []))
  }

  /** Whether a person was seen at a path around a moment: at it outside every command, within the window. */
  wasSeen(path: string, at: number, until = at + this.windowMs): boolean {
    return (this.#touched.get(path) ?? []).some(
      (time) => time >= at - this.windowMs && time <= until && !this.#isCovered(time),
    )
  }

  /** Of lines at a path, those of people; and whether they had been seen at it until now. */
  personsLines(path: string, lines: readonly string[]): { readonly line: string; readonly wasSeen: boolean }[] {
    const now = Date.now()
    return lines.flatMap((line) => {
      const at = this.#written.get(line)
      return at === undefined ? [] : [{ line, wasSeen: this.wasSeen(path, at, Math.min(now, at + this.windowMs)) }]
    })
  }

  /** Whether a person was at a path at all around a moment. */
  wasTouched(path: string, at: number): boolean {
    return (this.#touched.get(path) ?? []).some((time) => Math.abs(time - at) <= this.windowMs)
  }

  #isCovered(time: number): boolean {
    return this.calls.some(({ kind, from, to }) => kind === 'opaque' && from <= time && time <= to + SETTLES_MS)
  }

  /** Whether another call that could have made any change ran beside this one. */
  hadCompany({ id, from, to }: TrueCall): boolean {
    return this.calls.some(
      (call) => call.id !== id && call.kind !== 'edit' && call.from <= to + SETTLES_MS && call.to + SETTLES_MS >= from,
    )
  }
}

export const personNamed = (name: string): Writer => `${PERSON} ${name}`
export const callNamed = (id: string): Writer => `${CALL} ${id}`
export const isPerson = (writer: Writer): boolean => writer.startsWith(`${PERSON} `)
