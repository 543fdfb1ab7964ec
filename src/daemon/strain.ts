import { readdirSync, readFileSync } from 'node:fs'
import { availableParallelism, loadavg } from 'node:os'
import type { Strain } from './schedule.ts'

const SUPPLIES = '/sys/class/power_supply'

/** How hard the machine works and what feeds it, as far as the platform tells. */
export const strain = (): Strain => ({
  load: (loadavg()[0] ?? 0) / availableParallelism(),
  onBattery: isOnBattery(),
})

export function isOnBattery(supplies = SUPPLIES): boolean {
  try {
    return readdirSync(supplies).some(
      (name) => readFileSync(`${supplies}/${name}/status`, 'utf8').trim() === 'Discharging',
    )
  } catch {
    return false
  }
}
