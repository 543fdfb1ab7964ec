import * as fs from 'node:fs'
import { join } from 'node:path'

/** How long a file must have lain still for the program to rely on its times (src/timeline/scan/read-stable.ts), and more. */
const STILL_MS = 30

/** Waits until what was written in a folder has lain still: the clock of its file system has moved on. */
export function untilStill(folder: string): void {
  const probe = join(fs.mkdtempSync(`${folder}.tick-`), 'probe')
  const stamp = (): number => {
    fs.writeFileSync(probe, '')
    return fs.statSync(probe).mtimeMs
  }
  for (const begun = stamp(); stamp() < begun + STILL_MS; );
  fs.rmSync(join(probe, '..'), { recursive: true })
}
