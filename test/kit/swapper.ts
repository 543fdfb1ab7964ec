/**
 * A process of its own that exchanges a folder for a link that leads elsewhere, and back, as fast as it can.
 *
 * Arguments: the folder, what the link leads to, and a folder on the same disk to put the other one in meanwhile.
 */
import { lstatSync, renameSync, rmSync, symlinkSync } from 'node:fs'

const [folder = '', target = '', aside = ''] = process.argv.slice(2)
const [away, link] = [`${aside}/away`, `${aside}/link`]

function attempt(act: () => void): void {
  try {
    act()
  } catch {
    // A restore was at the same name.
  }
}

const at = (path: string) => lstatSync(path, { throwIfNoEntry: false })
const pause = (): void => {
  const until = performance.now() + Math.random() * 0.3
  while (performance.now() < until);
}

process.stdout.write('swapping\n')
for (;;) {
  attempt(() => {
    if (!at(link)) symlinkSync(target, link)
    if (!at(folder)?.isDirectory()) return
    if (at(away)) rmSync(away, { recursive: true })
    renameSync(folder, away)
    renameSync(link, folder)
  })
  pause()
  attempt(() => {
    if (at(folder)?.isSymbolicLink()) renameSync(folder, link)
    if (!at(folder)) renameSync(away, folder)
  })
  pause()
}
