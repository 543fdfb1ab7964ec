import * as fs from 'node:fs'
import { join } from 'node:path'
import { between, pick } from '../../bench/random.ts'
import { type Act, call, isFolder, type Play, someId } from './calls.ts'
import { byHand } from './hands.ts'
import type { Typed } from './scene.ts'

/** What happens to people and agents. */

/** The root is removed, moved or replaced. */
export const root: Act = async (play) => {
  const { scene, random } = play
  const away = join(scene.scratch, 'around/ws-away')
  const how = pick(random, ['again', 'moved and back', 'moved, another made', 'emptied'] as const)
  play.say(`root ${how}`)
  if (!isFolder(scene.root)) return
  if (how === 'again') {
    fs.rmSync(scene.root, { recursive: true })
    fs.mkdirSync(scene.root)
  } else if (how === 'emptied') {
    for (const name of fs.readdirSync(scene.root, { encoding: 'buffer' }))
      fs.rmSync(Buffer.concat([Buffer.from(`${scene.root}/`), name]), { recursive: true })
  } else {
    fs.rmSync(away, { recursive: true, force: true })
    fs.renameSync(scene.root, away)
    if (how === 'moved and back') {
      if (random() < 0.5) await call(play, 'status')
      fs.rmSync(scene.root, { recursive: true, force: true })
      fs.renameSync(away, scene.root)
    } else fs.mkdirSync(scene.root)
  }
  for (let i = 0; i < 3; i++) byHand(scene.root, random)
}

/** Somebody presses Ctrl-C, or the machine kills what runs. */
export const interrupted: Act = async (play) => {
  const { scene, random } = play
  const commands: readonly (readonly string[])[] = [
    ['snapshot'],
    ['restore', someId(play)],
    ['undo'],
    ['travel', someId(play)],
    ['return'],
    ['gc'],
    ['fsck'],
  ]
  const args = ['-C', scene.root, ...pick(random, commands), '--json']
  const whom = pick(random, ['client', 'client', 'daemon', 'everything'] as const)
  const ms = between(random, 0, 400)
  const signal = whom === 'client' ? pick(random, ['SIGINT', 'SIGTERM', 'SIGKILL'] as const) : 'SIGKILL'
  play.say(`${args.slice(2).join(' ')}, ${whom} gets ${signal} after ${ms} ms`)
  const it: Typed = { args, cwd: scene.root, daemon: whom !== 'client' || random() < 0.5 }
  if (!isFolder(scene.root)) return
  const ended = scene.type(whom === 'daemon' ? it : { ...it, cut: { signal, ms } })
  if (whom !== 'client') setTimeout(() => scene.killDaemons(), ms)
  const { exit, stdout, stderr, hung } = await ended
  if (hung) play.wrong(`${args.join(' ')} hangs after ${signal}`)
  if (exit === 70 || /"code":\s*"INTERNAL"/.test(stdout))
    play.wrong(`${args.join(' ')} after ${signal} to the ${whom}: ${stdout}${stderr}`.slice(0, 1500))
  await settled(play)
}

/** What a daemon or a dead command left is over when nothing changes any more and a command has answered. */
async function settled(play: Play): Promise<void> {
  play.recovering = true
  for (let i = 0; i < 3; i++) {
    const { ok } = await call(play, pick(play.random, ['status', 'snapshot']))
    if (ok) break
  }
  await new Promise((done) => setTimeout(done, 100))
  await call(play, 'status')
  play.recovering = false
}

export const killDaemon: Act = async ({ scene, surfaces, say, random }) => {
  say('the daemon is killed')
  scene.killDaemons()
  if (random() < 0.3) await surfaces.closeAgent()
  if (random() < 0.5) await scene.startDaemon()
}

export const fillDisk: Act = async ({ scene, say, random, isSmall }) => {
  if (!isSmall) return
  const filler = join(scene.home, 'filler')
  if (fs.existsSync(filler)) {
    say('the disk has room again')
    return fs.rmSync(filler)
  }
  const { bsize, bavail } = fs.statfsSync(scene.home)
  const leave = pick(random, [0, 4096, 65_536, 1024 * 1024])
  say(`the disk has ${leave} bytes left`)
  try {
    fs.writeFileSync(filler, Buffer.alloc(Math.max(0, bsize * bavail - leave)))
  } catch {
    // Full is what it was to become.
  }
}
