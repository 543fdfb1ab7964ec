import { expect, test } from 'vitest'
import { nameDescriptor, plainNames, withPlainNames } from './plain-names.ts'

test('descriptors become the paths they were opened by; others stay', () => {
  nameDescriptor(7, '/home/$&/project')
  expect(plainNames("rename '/proc/self/fd/7/a' -> '/proc/self/fd/7/b', /proc/self/fd/99999/c")).toBe(
    "rename '/home/$&/project/a' -> '/home/$&/project/b', /proc/self/fd/99999/c",
  )
})

test('an error tells of the same paths in its words and in its fields', () => {
  nameDescriptor(7, '/project')
  const error = Object.assign(new Error("EROFS: read-only file system, open '/proc/self/fd/7/a'"), {
    code: 'EROFS',
    path: '/proc/self/fd/7/a',
    dest: '/proc/self/fd/7',
  })
  expect(withPlainNames(error)).toMatchObject({
    message: "EROFS: read-only file system, open '/project/a'",
    code: 'EROFS',
    path: '/project/a',
    dest: '/project',
  })
})
