import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { BARE_EXT4, type Machine } from './machine.ts'

const USUAL_MICROSECONDS = 150 // four times what it costs on an undisturbed disk
const PATIENCE_MS = 6 * 60_000
const ASK_EVERY_MS = 20_000

/**
 * Knows whether new files are made at the usual price.
 *
 * Ext4 without a journal does not reuse an inode for one to five minutes after its file was deleted, and passes over all
 * such inodes one by one for each new file. After a mass deletion, by an earlier run or by anybody else, a new file costs
 * twenty times more, and the peer that makes most files looks worst.
 */
export class InodeWatch {
  readonly #bare: boolean
  readonly #scratch: string
  #probes = 0

  constructor(machine: Machine, scratch: string) {
    this.#bare = machine.file_system === BARE_EXT4
    this.#scratch = scratch
  }

  /** Waits until the price is usual, at most a few minutes. */
  async settle(say: (text: string) => void): Promise<void> {
    const until = performance.now() + PATIENCE_MS
    while (this.#bare && this.#price() > USUAL_MICROSECONDS && performance.now() < until) {
      say('waiting for the file system to forget recently deleted files')
      await sleep(ASK_EVERY_MS)
    }
  }

  cautions(): readonly string[] {
    const price = Math.round(this.#price())
    if (!this.#bare || price <= USUAL_MICROSECONDS) return []
    return [
      `Many files were deleted on this disk meanwhile: a new one costs ${price} µs. Git and full restores look too slow.`,
    ]
  }

  /** Kernel time per new file; that of this process alone, so it does not depend on who else is running. */
  #price(): number {
    const probe = join(this.#scratch, `probe-${this.#probes++}`)
    const before = process.cpuUsage()
    for (let folder = 0; folder < 40; folder++) {
      mkdirSync(join(probe, String(folder)), { recursive: true })
      for (let file = 0; file < 25; file++) writeFileSync(join(probe, String(folder), String(file)), 'probe')
    }
    return process.cpuUsage(before).system / 1000
  }
}
