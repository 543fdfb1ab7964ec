import { availableParallelism, loadavg } from 'node:os'
import { readFile, readNames } from '../../host/files/fs.ts'
import type { SystemLoad } from './schedule.ts'

const SUPPLIES = '/sys/class/power_supply'

/** The load of the machine and whether it runs on battery, as far as the platform reports it. */
export const systemLoad = (): SystemLoad => ({
  load: (loadavg()[0] ?? 0) / availableParallelism(),
  onBattery: isOnBattery(),
})

export function isOnBattery(supplies = SUPPLIES): boolean {
  try {
    return readNames(supplies).some((name) => isDischarging(`${supplies}/${name}/status`))
  } catch {
    return false
  }
}

const isDischarging = (path: string): boolean => readFile(path)?.toString().trim() === 'Discharging'
