import { expect, test } from 'vitest'
import { mountsAround } from './mounts.ts'

const line = (at: string, id = 36): string => `${id} 35 98:0 / ${at} rw,noatime master:1 - ext4 source rw`

test.each([
  ['/', true],
  ['/home', true],
  ['/home/w', true],
  ['/home/w/sub/deep', true],
  ['/home/w\\040x', false],
  ['/home/wide', false],
  ['/hom', false],
  ['/proc', false],
])('a mount at %s: it concerns /home/w: %s', (at, concerns) => {
  expect(mountsAround('/home/w', `${line(at)}\n`)).toBe(concerns ? line(at) : '')
})

test('a mount point with a blank or with bytes beyond ASCII is recognised', () => {
  const table = Buffer.from(line('/gé/a\\040b')).toString('latin1')
  expect(mountsAround('/gé/a b', table)).toBe(table)
})
