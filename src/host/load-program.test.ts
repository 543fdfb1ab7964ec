import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const LOADER = join(import.meta.dirname, 'load-program.ts')

/** A program that says a word of three letters, in a folder of its own. */
function newProgram() {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-load-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  mkdirSync(join(dir, 'compile'))
  const file = join(dir, 'program.cjs')
  const write = (word: string): void =>
    writeFileSync(
      file,
      `function say() { console.log('${word}', typeof require, __filename.endsWith('m.cjs')) }\nsay()\n`,
    )
  const run = (keeping = ''): string => {
    const script = `import('${LOADER}').then(({ loadProgram }) => loadProgram('${file}'))`
    const env = { ...process.env, TIMEWARP_KEEP_COMPILED: keeping }
    const { stdout, stderr } = spawnSync(process.execPath, ['-e', script], { env, encoding: 'utf8' })
    return stdout + stderr
  }
  const kept = join(dir, 'compile', `program.cjs-${process.version}-${process.arch}.kept`)
  return { write, run, kept }
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
  // V8 takes what it is given for good: it would say the other word.
  const altered = Buffer.from(whole.toString('latin1').replaceAll('one', 'two'), 'latin1')
  expect(altered.equals(whole)).toBe(false)
  for (const damaged of [whole.subarray(0, 100), whole.subarray(0, 7), Buffer.alloc(0), altered]) {
    writeFileSync(kept, damaged)
    expect(run()).toBe(`one${SAID}`)
  }
  rmSync(kept)
  mkdirSync(kept)
  expect(run()).toBe(`one${SAID}`)
})

test('where nothing can be kept a program runs all the same', () => {
  const { write, run, kept } = newProgram()
  write('one')
  rmSync(dirname(kept), { recursive: true })
  expect(run('yes')).toBe(`one${SAID}`)
})
