/** A process that churns a tree: `writer.ts ROOT SEED`. It stands still between the messages `pause` and `resume`. */
import { setTimeout as sleep } from 'node:timers/promises'
import { between, randomFrom } from '../bench/random.ts'
import { disturb, rootOf } from './acts.ts'

const ACTS_PER_STEP = { few: 6, many: 60 }
const REST_MS = { least: 5, most: 60 }

const [folder = '', seed = ''] = process.argv.slice(2)
const root = rootOf(folder)
const random = randomFrom(Number(seed))
let resumed = Promise.withResolvers<void>()
resumed.resolve()

process.on('message', (message) => {
  if (message === 'resume') return resumed.resolve()
  // Acts do not wait for anything, so between two messages none is half done.
  resumed = Promise.withResolvers()
  process.send?.('paused')
})
// Whoever started it is gone.
process.on('disconnect', () => process.exit())

while (process.connected) {
  const acts = between(random, 1, random() < 0.03 ? ACTS_PER_STEP.many : ACTS_PER_STEP.few)
  for (let at = 0; at < acts; at++) disturb(root, random)
  await sleep(between(random, REST_MS.least, REST_MS.most))
  await resumed.promise
}
