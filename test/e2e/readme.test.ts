import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'

const root = resolve(import.meta.dirname, '../..')
const readme = readFileSync(join(root, 'README.md'), 'utf8')

/** Lines of the blocks that are marked as shell, without comments. */
const commands = [...readme.matchAll(/^```sh\n([^]*?)^```/gm)]
  .flatMap(([, block = '']) => block.split('\n'))
  .map((line) => line.replace(/\s+#.*$/, ''))
  .filter((line) => line !== '' && !line.startsWith('cd '))

test('the commands of the README run, one after the other', () => {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-readme-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const project = join(dir, 'project')
  mkdirSync(join(project, 'src'), { recursive: true })
  writeFileSync(join(project, 'src/main.ts'), 'port = 80\n')
  writeFileSync(join(project, 'a.ts'), 'port = 80\n')
  const env = { ...process.env, HOME: dir, TIMEWARP_HOME: join(dir, 'home'), TIMEWARP_DAEMON: 'off' }
  const sh = (line: string) => {
    const path = `${join(root, 'bin')}:${process.env['PATH']}`
    return spawnSync('sh', ['-c', line], { cwd: project, env: { ...env, PATH: path }, encoding: 'utf8' })
  }
  const own = commands.filter((line) => /^(bin\/)?timewarp /.test(line))
  expect(own.length).toBeGreaterThan(12)
  for (const line of own) {
    // What is taken back has to happen first.
    if (line === 'timewarp oops') rmSync(join(project, 'src'), { recursive: true })
    const { snapshot_id } = JSON.parse(sh('timewarp show latest --json').stdout || '{}') as { snapshot_id?: string }
    const ran = sh(line.replace('bin/timewarp', 'timewarp').replace(' ID', ` ${snapshot_id}`))
    expect([line, ran.status, ran.stderr]).toEqual([line, 0, ''])
  }
})

test('the other commands of the README are scripts of the package', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8')) as {
    scripts: Record<string, string>
  }
  const named = [...readme.matchAll(/(?:`|^)npm (?:run )?([a-z:]+)/gm)].map(([, name = '']) => name)
  expect(named).toEqual(expect.arrayContaining(['start', 'test']))
  expect(named.filter((name) => !Object.hasOwn(scripts, name) && !['ci', 'install'].includes(name))).toEqual([])
})
