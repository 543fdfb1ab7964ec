import fc from 'fast-check'
import { expect, test } from 'vitest'
import { hasBlock, withBlock, withoutBlock } from './rc-block.ts'

const bytes = fc.oneof(
  fc.uint8Array().map((array) => Buffer.from(array)),
  fc
    .array(fc.constantFrom('\n', '\r\n', 'alias a=b', '# >>> time', '# <<<', 'é'), { maxLength: 8 })
    .map((parts) => Buffer.from(parts.join(''))),
)

test('what is taken out leaves what was there, to the byte', () => {
  fc.assert(
    fc.property(bytes, (before) => {
      const after = withBlock(before, 'line')
      expect(hasBlock(before)).toBe(false)
      expect(hasBlock(after)).toBe(true)
      expect(withoutBlock(after)).toEqual(before)
    }),
  )
})

test('put in twice, it is in once, and new', () => {
  const twice = withBlock(withBlock(Buffer.from('a'), 'old'), 'new')
  expect(twice.toString()).not.toContain('old')
  expect(twice.toString().match(/>>> timewarp/g)).toHaveLength(1)
  expect(withoutBlock(twice)).toEqual(Buffer.from('a'))
})

test('a file that was not there goes away again, unless somebody has written into it', () => {
  const made = withBlock(undefined, 'line')
  expect(withoutBlock(made)).toBeUndefined()
  expect(withoutBlock(Buffer.concat([made, Buffer.from('alias x=y\n')]))?.toString()).toBe('alias x=y\n')
})

test('what was written around it since stays', () => {
  const after = Buffer.concat([Buffer.from('above\n'), withBlock(Buffer.from('a\n'), 'line'), Buffer.from('below\n')])
  expect(withoutBlock(after)?.toString()).toBe('above\na\nbelow\n')
})
