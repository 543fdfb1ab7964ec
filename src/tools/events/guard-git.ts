import { recordedText } from '../../app/tool-input.ts'
import { captureRoom } from '../../app/workspace-lookup.ts'
import { keepGit } from '../../git/keep.ts'
import { sleep } from '../../host/clock.ts'
import { gap, type Scene } from './capture-event.ts'

/** Keeps what git alone has, without anybody waiting for it. Without a daemon somebody has to wait. */
export function keepGitSoon(scene: Scene, why: string): void {
  const { house } = scene.call
  if (house.live) void keep(scene, why)
  else house.later('keep git', () => keep(scene, why))
}

/** Before a command that rewrites refs: the client waits for it, but not for long. */
export async function keepGitFirst(scene: Scene, { command = '' }: { command?: string | undefined }): Promise<void> {
  const kept = keep(scene, recordedText(scene.workspace.root, command).slice(0, 200)).then(() => true)
  const isKept = scene.call.house.live ? await Promise.race([kept, sleep(scene.waitMs).then(() => false)]) : await kept
  if (!isKept) gap(scene, `keeping git took longer than ${scene.waitMs} ms`)
}

/** Never throws: the client goes on all the same. */
async function keep(scene: Scene, why: string): Promise<void> {
  try {
    await keepGit(captureRoom(scene.call), scene.workspace, why)
  } catch (error) {
    gap(scene, `git could not be kept: ${error instanceof Error ? error.message : String(error)}`)
  }
}
