import * as fs from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { type Live, newLive } from '../live/kit.ts'

/** Somebody stands in a sub-folder of a workspace and types. */
interface Person {
  readonly live: Live
  readonly sub: string
  tw(...args: string[]): ReturnType<Live['tw']>
  good(...args: string[]): Promise<string>
}

const FILES = { top: 'top\n', 'sub/a': 'one\n', 'sub/deep/b': 'two\n', 'other/a': 'other\n' }

async function person(mode: 'daemon' | 'alone'): Promise<Person> {
  const live = newLive(FILES, { env: { TIMEWARP_DAEMON: mode === 'daemon' ? 'on' : 'off' } })
  if (mode === 'daemon') await live.serve()
  const sub = join(live.root, 'sub')
  const tw = (...args: string[]) => live.tw(args, { cwd: sub })
  const good = async (...args: string[]): Promise<string> => {
    const { exit, stdout, stderr } = await tw(...args)
    expect(stderr, args.join(' ')).toBe('')
    expect(exit, args.join(' ')).toBe(0)
    return stdout
  }
  await live.tw(['init'])
  return { live, sub, tw, good }
}

const read = ({ live }: Person, path: string): string => fs.readFileSync(join(live.root, path), 'utf8')

describe.each(['daemon', 'alone'] as const)('%s: paths start in the current folder', (mode) => {
  test('when files are read', async () => {
    const me = await person(mode)
    expect(await me.good('cat', 'latest', 'a')).toBe('one\n')
    expect(await me.good('cat', 'latest', './deep/b')).toBe('two\n')
    expect(await me.good('cat', 'latest', '../top')).toBe('top\n')
    expect(await me.good('cat', 'latest', join(me.live.root, 'other/a'))).toBe('other\n')
    expect(await me.good('history', 'a')).toContain('s_')
    expect(await me.good('blame', 'deep/b')).toContain('two')
    fs.writeFileSync(join(me.sub, 'a'), 'changed\n')
    fs.writeFileSync(join(me.live.root, 'top'), 'changed\n')
    const diff = await me.good('diff', 'latest', '--', 'a')
    expect(diff).toContain('a/sub/a')
    expect(diff).not.toContain('top')
    expect(await me.good('diff', 'latest', '--', '.')).not.toContain('top')
    await me.good('snapshot')
    expect(await me.good('log', '--file-filter', 'a', '--json')).toContain('sub/a')
    expect(await me.good('log', '--file-filter', '../*', '--json')).not.toContain('"total":0')
  })

  test('when files are changed, brought back and forgotten', async () => {
    const me = await person(mode)
    await me.good('write', 'new', 'n')
    expect(read(me, 'sub/new')).toBe('n')
    await me.good('edit', 'a', 'one', 'ONE')
    expect(read(me, 'sub/a')).toBe('ONE\n')
    await me.good('edit-lines', 'deep/b', '1', '1', 'TWO')
    expect(read(me, 'sub/deep/b')).toBe('TWO\n')
    await me.good('mv', 'new', '../moved')
    expect(read(me, 'moved')).toBe('n')
    await me.good('mkdir', 'made/here')
    expect(fs.existsSync(join(me.sub, 'made/here'))).toBe(true)
    await me.good('rm', join(me.live.root, 'moved'))
    expect(fs.existsSync(join(me.live.root, 'moved'))).toBe(false)
    fs.writeFileSync(join(me.live.root, 'top'), 'lost\n')
    fs.rmSync(join(me.sub, 'a'))
    await me.good('restore', 'latest', 'a')
    expect([read(me, 'sub/a'), read(me, 'top')]).toEqual(['ONE\n', 'lost\n'])
    fs.rmSync(join(me.sub, 'a'))
    await me.good('restore', 'latest', '.')
    expect([read(me, 'sub/a'), read(me, 'top')]).toEqual(['ONE\n', 'lost\n'])
    await me.good('write', 'secret.env', 's')
    await me.good('write', '../keep.env', 's2')
    const plan = await me.good('forget', '*.env', '--dry-run', '--json')
    expect(JSON.parse(plan).paths).toEqual(['sub/secret.env'])
    expect(JSON.parse(await me.good('forget', 'secret.env', '--dry-run', '--json')).paths).toEqual(['sub/secret.env'])
  })

  test('of revert, and of a diff from its root', async () => {
    const me = await person(mode)
    fs.writeFileSync(join(me.sub, 'a'), 'x\n')
    fs.writeFileSync(join(me.live.root, 'top'), 'x\n')
    await me.good('snapshot')
    await me.good('revert', 'latest', '--', 'a')
    expect([read(me, 'sub/a'), read(me, 'top')]).toEqual(['one\n', 'x\n'])
    await me.good('patch', 'diff --git a/sub/a b/sub/a\n--- a/sub/a\n+++ b/sub/a\n@@ -1 +1 @@\n-one\n+patched\n')
    expect(read(me, 'sub/a')).toBe('patched\n')
  })

  test('of -C, and through links', async () => {
    const me = await person(mode)
    const link = join(me.live.workspace.temp, 'link')
    fs.symlinkSync(me.live.root, link)
    const away = { cwd: me.live.workspace.temp }
    const said = async (args: string[], cwd = away.cwd) => (await me.live.tw(args, { cwd })).stdout
    expect(await said(['-C', me.sub, 'cat', 'latest', 'a'])).toBe('one\n')
    expect(await said(['-C', 'workspace', 'cat', 'latest', 'sub/a'])).toBe('one\n')
    expect(await said(['-C', 'link/other', 'cat', 'latest', 'a'])).toBe('other\n')
    expect(await said(['-C', 'link', 'cat', 'latest', join(link, 'sub/a')])).toBe('one\n')
    expect(await said(['cat', 'latest', join(link, 'sub/a')], me.sub)).toBe('one\n')
    expect(await said(['cat', 'latest', 'a'], join(link, 'sub'))).toBe('one\n')
  })

  test('outside of the workspace they are refused, with the folder to stay in', async () => {
    const me = await person(mode)
    for (const path of ['../..', '../../x', '/etc/passwd', '/', join(me.live.root, '..')])
      for (const args of [
        ['cat', 'latest', path],
        ['rm', path],
        ['restore', 'latest', path],
        ['write', path, 'x'],
      ]) {
        const { exit, stderr } = await me.tw(...args)
        expect([exit, stderr], args.join(' ')).toEqual([2, expect.stringContaining(`Give a path in ${me.live.root} `)])
      }
    const { stderr } = await me.tw('cat', 'latest', 'nothing')
    expect(stderr).toContain('sub/nothing is not in snapshot')
    expect(stderr).toContain('timewarp history nothing')
  })

  test('as JSON they start at the root', async () => {
    const me = await person(mode)
    const { json } = await me.tw('call', 'cat', '{"snapshot_id":"latest","path":"sub/a"}')
    expect(json.content).toBe('one\n')
  })
})
