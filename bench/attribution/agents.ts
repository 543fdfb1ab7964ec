import { spawn } from 'node:child_process'
import { renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { between, pick, type Random } from '../random.ts'
import { COMMON, type Pace } from './people.ts'
import { callNamed, type TrueCall, type Truth } from './truth.ts'

/** How an agent's client tells of its calls. */
export interface Wire {
  prompt(prompt: string, text: string): Promise<void>
  /** A call begins; `content` is what an edit makes of its file. */
  begin(call: ToldCall): Promise<void>
  end(call: ToldCall, failed: boolean): Promise<void>
  turnEnd(): Promise<void>
}

export interface ToldCall {
  readonly id: string
  readonly prompt: string
  readonly command?: string
  readonly edit?: { readonly path: string; readonly content: string }
}

interface Desk {
  readonly session: string
  readonly wire: Wire
  readonly truth: Truth
  readonly random: Random
  readonly pace: Pace
  /** Where the plans of scripts are kept. */
  readonly plans: string
  /** Files that it made and nobody else knows of. */
  readonly made: string[]
  /** Its edits write nothing if the file has changed since it was read; others change what they find. */
  readonly isCareful: boolean
  /** Called when a prompt is done. */
  readonly done: (prompt: string) => Promise<void>
}

/** An agent at work until the story is over: prompt by prompt, call by call. */
export async function serve(desk: Desk): Promise<void> {
  const { random, pace, wire, session } = desk
  for (let n = 1; !pace.isOver(); n++) {
    const prompt = `${session}-p${n}`
    await wire.prompt(prompt, `Do task ${n}`)
    for (let calls = between(random, 2, 9); calls > 0 && !pace.isOver(); calls--) {
      await sleep(pace.ms(between(random, 1, 15)))
      await callOf(desk, prompt)
    }
    await wire.turnEnd()
    await desk.done(prompt)
    await sleep(pace.ms(between(random, 5, 40)))
  }
}

const idOf = ({ session, truth }: Desk): string => `${session}-c${truth.line('call').slice(5)}`

async function callOf(desk: Desk, prompt: string): Promise<void> {
  const dice = desk.random()
  const id = idOf(desk)
  if (dice < 0.35) return edit(desk, prompt, id)
  const isNamed = dice < 0.65
  const command = isNamed ? named(desk, id) : opaque(desk, id)
  if (command === undefined) return edit(desk, prompt, id)
  await during(desk, { id, prompt, command }, isNamed ? 'named' : 'opaque', () => run(command, desk.truth.root))
}

async function during(desk: Desk, call: ToldCall, kind: TrueCall['kind'], act: () => Promise<boolean>): Promise<void> {
  const true_ = desk.truth.begin({ id: call.id, session: desk.session, kind })
  await desk.wire.begin(call)
  const failed = !(await act())
  await desk.wire.end(call, failed)
  true_.to = Date.now()
}

const run = (command: string, cwd: string): Promise<boolean> =>
  new Promise((done) => spawn('sh', ['-c', command], { cwd, stdio: 'ignore' }).on('close', (code) => done(code === 0)))

/** Writes a new file or changes one, also common ones. */
async function edit(desk: Desk, prompt: string, id: string): Promise<void> {
  const { random, truth, made, pace, isCareful } = desk
  const dice = random()
  const fresh = `gen/${id}.txt`
  const path = dice < 0.4 ? fresh : dice < 0.7 || made.length === 0 ? pick(random, COMMON) : pick(random, made)
  const before = truth.read(path)
  const line = `${truth.line(callNamed(id))}\n`
  await during(desk, { id, prompt, edit: { path, content: before + line } }, 'edit', async () => {
    // Sometimes a person is asked for permission first.
    if (random() < 0.15) await sleep(pace.ms(between(random, 1, 20)))
    const found = truth.read(path)
    if (isCareful && found !== before) return false
    const draft = `${path}.tmp.${process.pid}.${id}`
    truth.isAside(draft)
    truth.write(draft, found + line)
    renameSync(truth.at(draft), truth.at(path))
    return true
  })
  if (path === fresh) made.push(path)
}

/** From 0.05 to 60 seconds, short ones more often. */
const howLong = (random: Random): number => 0.05 * 1200 ** random()

/** A command that says what it changes. Now and then it has to wait for something first. */
function named(desk: Desk, id: string): string | undefined {
  const { random, truth, made, pace } = desk
  const wait = random() < 0.15 ? `sleep ${(pace.ms(howLong(random)) / 1000).toFixed(3)} && ` : ''
  const line = `'${truth.line(callNamed(id))}'`
  const target = (): string => (random() < 0.25 || made.length === 0 ? pick(random, COMMON) : pick(random, made))
  const kinds: (() => string | undefined)[] = [
    () => `sed -i '$a ${line.slice(1, -1)}' ${target()}`,
    () => `echo ${line} >> ${target()}`,
    () => `echo ${line} > ${newFile(desk, id)}`,
    () => taken(desk, id, (path) => `rm ${path}`),
    () => taken(desk, id, (path) => `mv ${path} ${whole(desk, id, 'moved')}`),
    () => (made.length > 0 ? `cp ${pick(random, made)} ${whole(desk, id, 'copy')}` : undefined),
  ]
  const command = pick(random, kinds)()
  return command && wait + command
}

const newFile = ({ made }: Desk, id: string): string => {
  const path = `gen/${id}.txt`
  made.push(path)
  return path
}

/** A path that this call alone makes. */
function whole({ truth }: Desk, id: string, what: string): string {
  const path = `gen/${what}-${id}.txt`
  truth.made(path, callNamed(id))
  return path
}

/** A file that is made away with by this call. */
function taken({ truth, made, random }: Desk, id: string, command: (path: string) => string): string | undefined {
  const path = made.length > 8 ? made.splice(between(random, 0, made.length - 1), 1)[0] : undefined
  if (path === undefined) return undefined
  truth.deleted(path, callNamed(id))
  return command(path)
}

/** A script that says nothing of what it changes: some common files, some that it makes, one that it deletes. */
function opaque(desk: Desk, id: string): string {
  const { random, truth, plans, pace } = desk
  const steps: string[] = []
  for (let n = between(random, 1, 4); n > 0; n--)
    steps.push(`echo '${truth.line(callNamed(id))}' >> ${pick(random, COMMON)}`)
  for (let n = between(random, 0, 2); n > 0; n--) {
    const path = `gen/out-${n}-${id}.txt`
    steps.push(`echo '${truth.line(callNamed(id))}' > ${path}`)
  }
  const gone = random() < 0.4 ? taken(desk, id, (path) => `rm -f ${path}`) : undefined
  if (gone !== undefined) steps.push(gone)
  const pause = (pace.ms(howLong(random)) / 1000 / (steps.length + 1)).toFixed(3)
  writeFileSync(join(plans, id), [...steps.flatMap((step) => [`sleep ${pause}`, step]), `sleep ${pause}`].join('\n'))
  return `./build.sh ${id}`
}
