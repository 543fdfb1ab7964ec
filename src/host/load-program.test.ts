import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const LOADER = join(import.meta.dirname, 'load-program.ts')

/** A program that says a word of three letters, in a folder of its own, marked as the build does. */
function newProgram() {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-load-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'compile'))
  const file = join(dir, 'program.cjs')
  const write = (word: string): void =>
    writeFileSync(
      file,
      `function say() { console.log('${word}', typeof require, __filename.endsWith('m.cjs')) }\nsay()\n//${word.repeat(10)}`,
    )
  const run = (keeping = ''): string => {
    const script = `import('${LOADER}').then(({ loadProgram }) => loadProgram('${file}'))`
    const env = { ...process.env, TIMEWARP_KEEP_COMPILED: keeping }
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })
    return stdout + stderr
  }
  return { write, run, kept: join(dir, 'compile', 'program.cjs.kept') }
}

const SAID = ' function true\n'

test('a program runs the same without, with and while keeping what was compiled', () => {
  const { write, run, kept } = newProgram()
  write('one')
  expect([run(), existsSync(kept)]).toEqual([`one${SAID}`, false])
  expect([run('yes'), existsSync(kept)]).toEqual([`one${SAID}`, true])
  expect([run(), run('yes')]).toEqual([`one${SAID}`, `one${SAID}`])
})

test('what was kept of another program of the same length is passed over', () => {
  const { write, run } = newProgram()
  write('one')
  run('yes')
  write('two')
  expect(run()).toBe(`two${SAID}`)
})

test('what was kept and is damaged is passed over', () => {
  const { write, run, kept } = newProgram()
  write('one')
  run('yes')
  const whole = readFileSync(kept)
  for (const damaged of [whole.subarray(0, 100), whole.subarray(0, 20), Buffer.alloc(0), damage(whole)]) {
    writeFileSync(kept, damaged)
    expect(run()).toBe(`one${SAID}`)
  }
  rmSync(kept)
  mkdirSync(kept)
  expect(run()).toBe(`one${SAID}`)
})

/** Behind the mark, where V8 says what it is. */
const damage = (bytes: Buffer): Buffer => Buffer.from(bytes).fill(0, 32, 64)
