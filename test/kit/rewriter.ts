/**
 * A process that keeps rewriting one file in place, all of it with one letter, then all of it with another.
 *
 * Arguments: path, size, `keep` or `cut` (the file before each writing), bytes per call, pause between writings in
 * milliseconds. Says "writing" after the first round; goes on until it is killed.
 */
import * as fs from 'node:fs'

const [path = '', size = '1', before = 'keep', piece = size, pause = '0'] = process.argv.slice(2)
const contents = ['A', 'B'].map((letter) => Buffer.alloc(Number(size), letter))

function rewrite(content: Buffer): void {
  const fd = fs.openSync(path, before === 'cut' ? 'w' : 'r+')
  for (let at = 0; at < content.length; at += Number(piece))
    fs.writeSync(fd, content, at, Math.min(Number(piece), content.length - at), at)
  fs.closeSync(fd)
}

for (let round = 0; ; round++) {
  for (const content of contents) {
    rewrite(content)
    if (Number(pause) > 0) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, Number(pause))
  }
  if (round === 0) fs.writeSync(1, 'writing\n')
}
