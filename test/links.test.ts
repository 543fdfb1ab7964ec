import { join } from 'node:path'
import { expect, test } from 'vitest'
import { anchorsOf, brokenLinks, linksOf, markdownFiles, missingPaths } from './kit/links.ts'

const root = join(import.meta.dirname, '..')

test('every link of the documents leads to a file of the repository, and to a heading that it has', () => {
  expect(markdownFiles(root).length).toBeGreaterThan(20)
  expect(brokenLinks(root)).toEqual([])
})

test('files and folders that documents name exist', () => {
  expect(missingPaths(root)).toEqual([])
})

test('links and images are found, those in code and to other places are not', () => {
  const text = '[a](b.md#c) ![d](e.svg) `[f](g.md)` <img src="h.svg"> [i](https://example.com)\n```\n[j](k.md)\n```\n'
  expect(linksOf(text)).toEqual(['b.md#c', 'e.svg', 'h.svg'])
})

test('headings have the anchors that pages give them', () => {
  expect(anchorsOf('# What it is: a `diff`\n## Twice\n## Twice\n')).toEqual(['what-it-is-a-diff', 'twice', 'twice-1'])
})
