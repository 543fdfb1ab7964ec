import { execFileSync } from 'node:child_process'
import { mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import type { Answered } from '../clients/event.ts'
import { type AwaitedEnd, madeOf, pauseAfter, stampOf, untilEdited } from './edit-end.ts'

/** A file with this content, and an edit that will make it `new`. */
function edited(content?: string) {
  const dir = mkdtempSync(join(tmpdir(), 'timewarp-edit-'))
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }))
  const file = join(dir, 'a.txt')
  const put = (text: string): void => {
    writeFileSync(`${file}.tmp`, text)
    renameSync(`${file}.tmp`, file)
  }
  if (content !== undefined) put(content)
  const edit = { file, stamp: stampOf(file), made: madeOf(Buffer.from('new')) }
  let answer: Answered | undefined
  let isOpen = true
  const waiting: AwaitedEnd = { isOpen: () => isOpen, answered: () => answer, longestMs: 10_000 }
  return {
    file,
    put,
    wait: (more: Partial<AwaitedEnd> = {}) => untilEdited(edit, { ...waiting, ...more }),
    tell: (failed: boolean, at?: number): void =>
      void (answer = { id: 'e', failed, ...(at === undefined ? {} : { at }) }),
    close: (): void => void (isOpen = false),
  }
}

const later = (ms: number): Promise<'waits'> => new Promise((done) => setTimeout(done, ms, 'waits'))

test.each([['old'], [undefined], ['new']])(
  'an edit is done when its file shows it; before it was %s',
  async (before) => {
    const { put, wait } = edited(before)
    const ended = wait()
    expect(await Promise.race([ended, later(60)])).toBe('waits')
    put('new')
    expect(await ended).toBe('done')
  },
)

test('what somebody else makes of the file is not the edit, until the edit is there', async () => {
  const { put, wait } = edited('old')
  const ended = wait()
  put('a person’s')
  expect(await Promise.race([ended, later(200)])).toBe('waits')
  put('new')
  expect(await ended).toBe('done')
})

test('what the client wrote down of the result counts where the file does not tell', async () => {
  const { put, wait, tell } = edited('old')
  const ended = wait()
  put('a person’s')
  tell(true)
  expect(await ended).toBe('doubtful')
  const denied = edited('old')
  denied.tell(true)
  expect(await denied.wait()).toBe('doubtful')
  const other = edited('old')
  const second = other.wait()
  other.put('put otherwise')
  other.tell(false, Date.now())
  expect(await second).toBe('done')
  const third = edited('old')
  third.put('put otherwise, and by a person since')
  third.tell(false, Date.now() - 1000)
  expect(await third.wait()).toBe('doubtful')
})

test('an edit is looked for often at first, and never seldom', () => {
  expect([0, 100, 1000, 1_000_000].map(pauseAfter)).toEqual([4, 25, 50, 50])
})

test('nobody waits for an edit that no longer matters, nor for ever', async () => {
  const { put, wait, close } = edited('old')
  const ended = wait()
  close()
  put('new')
  expect(await ended).toBeUndefined()
  expect(await edited('old').wait({ longestMs: 30 })).toBeUndefined()
})

test('a file that was written again is another, whatever its size and time say', async () => {
  const { file, put } = edited('old')
  const at = new Date(1_000_000_000_000)
  utimesSync(file, at, at)
  const before = stampOf(file)
  put('new')
  utimesSync(file, at, at)
  expect(stampOf(file)).not.toBe(before)
  expect(stampOf(join(file, 'below'))).toBe('absent')
  expect(stampOf('x\0')).toBe('absent')
})

test('nothing but a file is read: a pipe in its place would keep everybody waiting', async () => {
  const { file, wait, tell } = edited('old')
  const ended = wait()
  rmSync(file)
  execFileSync('mkfifo', [file])
  expect(await Promise.race([ended, later(150)])).toBe('waits')
  tell(true)
  expect(await ended).toBe('doubtful')
})
