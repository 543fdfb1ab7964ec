import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

/** What a process answers, in a folder with `a` and `b`. */
function ask(lines: string): string[] {
  const dir = realpathSync(mkdtempSync(join(tmpdir(), 'timewarp-standpoint-')))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  for (const name of ['a', 'b']) mkdirSync(join(dir, name))
  const script = `
    import { renameSync, mkdirSync } from 'node:fs'
    import { ownProcess } from '${join(import.meta.dirname, 'processes/own-process.ts')}'
    import { fromHere } from '${join(import.meta.dirname, 'standpoint.ts')}'
    const [a, b] = ['${dir}/a', '${dir}/b']
    const said = (path) => path.replace('${dir}/', '')
    ${lines}`
  const { stdout, stderr } = spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(stderr).toBe('')
  return stdout.trim().split(' ')
}

test('a process that is not ours stays where it is', () => {
  expect(ask('console.log(said(fromHere(a)), said(process.cwd()) === "a")')).toEqual(['a', 'false'])
})

test('one of ours goes to the first folder it looks at, and stays there', () => {
  const answers = ask('ownProcess(); console.log(fromHere(a), said(fromHere(b)), fromHere(a), said(process.cwd()))')
  expect(answers).toEqual(['.', 'b', '.', 'a'])
})

test('a folder in which nobody can stand, or that was replaced, is called by its name', () => {
  expect(ask('ownProcess(); console.log(said(fromHere(a + "/none")), said(fromHere(a)))')).toEqual(['a/none', 'a'])
  const replace = 'renameSync(a, a + "-old"); mkdirSync(a)'
  expect(ask(`ownProcess(); fromHere(a); ${replace}; console.log(said(fromHere(a)))`)).toEqual(['a'])
})

test('what Node looks for where the process stands is still found: threads and temporary files ask again', () => {
  const names = ['NODE_COMPILE_CACHE', 'TMPDIR']
  for (const name of names) {
    const set = `process.env['${name}'] = 'there'; ownProcess()`
    const answers = ask(
      `${set}; const was = process.cwd(); fromHere(a); console.log(process.env['${name}'] === was + '/there')`,
    )
    expect([name, ...answers]).toEqual([name, 'true'])
  }
})
