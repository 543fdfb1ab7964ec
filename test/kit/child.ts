/**
 * A process of its own that calls tools, for tests in which processes die.
 *
 * Argument: `{ home, cwd, dieAt?, failAt?, calls: [tool, input][] }`. Each answer is one line of JSON, printed as the command
 * line does it: before it is settled. Says so before the first call.
 */
import { writeSync } from 'node:fs'
import { openApp } from '../../src/app/app.ts'
import { asFault } from '../../src/base/fault.ts'
import { setPointHook } from '../../src/host/points.ts'
import { callTool } from '../../src/tools/call.ts'

import { READY } from './ready.ts'

const order = JSON.parse(process.argv[2] ?? '{}') as {
  home: string
  cwd: string
  /** `name:n` or `*:n`; names have colons, too. */
  dieAt?: string
  failAt?: string
  calls: [string, object][]
}
const dies = passing(order.dieAt, () => process.kill(process.pid, 'SIGKILL'))
const fails = passing(order.failAt, () => {
  throw new Error('the disk is gone')
})
setPointHook((name) => {
  dies(name)
  fails(name)
})

function passing(where: string | undefined, act: () => void): (name: string) => void {
  const cut = where?.lastIndexOf(':') ?? 0
  const wanted = where?.slice(0, cut)
  let left = Number(where?.slice(cut + 1))
  return (name) => {
    if ((wanted === '*' || wanted === name) && --left === 0) act()
  }
}
const app = openApp({ home: order.home })
writeSync(1, READY)
try {
  for (const [tool, input] of order.calls) {
    const { output } = await callTool({ app, cwd: order.cwd, progress: () => {} }, tool, input)
    writeSync(1, `${JSON.stringify(output)}\n`)
    await app.settle()
  }
} catch (error) {
  writeSync(1, `${JSON.stringify({ fault: asFault(error) })}\n`)
  process.exitCode = 1
} finally {
  app.close()
}
