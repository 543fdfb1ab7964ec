/**
 * A process that calls a tool and stops at a point until something comes on its standard input.
 *
 * Arguments: home, workspace, point, tool, input as JSON. Says "paused" at the point, and its answer in the end.
 */
import * as fs from 'node:fs'
import { setPointHook } from '../../src/host/points.ts'
import { openTimewarp, type Tools } from '../../src/library.ts'

const [home = '', cwd = '', point = '', tool = '', input = '{}'] = process.argv.slice(2)

setPointHook((name) => {
  if (name !== point) return
  setPointHook(undefined)
  fs.writeSync(1, 'paused\n')
  waitForInput()
})

function waitForInput(): void {
  for (;;) {
    try {
      fs.readSync(0, Buffer.alloc(1))
      return
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') throw error
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 5)
    }
  }
}

const timewarp = openTimewarp({ home, cwd })
const answer = await timewarp.call(tool as keyof Tools, JSON.parse(input) as never)
await timewarp.close()
fs.writeSync(1, `${JSON.stringify(answer)}\n`)
