import { expect, test } from 'vitest'
import { judge } from './judge.ts'

const named = (command: string): string[] =>
  judge(command, { cwd: '/w', workspace: '/w', home: '/home/u' }).named.map(
    ({ path, does, sure, from }) =>
      `${sure ? '' : 'maybe '}${does} ${path || '.'}${from ? ` from ${from.join()}` : ''}`,
  )

test.each([
  ['rm a.txt', ['remove a.txt']],
  ['rm -rf src', ['remove src']],
  ['rm -rf ./*', ['maybe remove .']],
  ['rm src/*.o', ['maybe remove src']],
  ['rm -rf /w', ['remove .']],
  ['cd /w && rm a.txt', ['remove a.txt']],
  ['echo x > a.txt', ['write a.txt']],
  ['echo x >> a.txt', ['write a.txt']],
  ['grep x b.txt >> a.txt', ['maybe write a.txt']],
  ['echo x | tee a.txt', ['write a.txt']],
  ['make &> a.txt', ['write a.txt']],
  ['sed -i s/a/b/ a.txt', ['maybe write a.txt']],
  ['perl -pi -e s/a/b/ a.txt', ['maybe write a.txt']],
  ['cp a.txt b.txt', ['copy b.txt from a.txt']],
  ['mv a.txt b.txt', ['remove a.txt', 'copy b.txt from a.txt']],
  ['cp /etc/hosts b.txt', ['copy b.txt from ']],
  ['chmod +x a.txt', ['attributes a.txt']],
  ['touch a.txt', ['attributes a.txt']],
  ['mkdir -p d', ['folder d']],
  ['git reset --hard', ['maybe any .']],
  ['git checkout -- .', ['maybe any .']],
  ['git checkout -- a.txt', ['maybe any a.txt']],
  ['git clean -fd', ['maybe any .']],
  ['./build.sh', []],
  ['./build.sh; rm a.txt', ['remove a.txt']],
])('%s names %j', (command, expected) => {
  expect(named(command)).toEqual(expected)
})

test.each([
  'test -f nope && rm a.txt',
  'true || rm a.txt',
  'make && rm a.txt',
  'set -e; make; rm a.txt',
  'make; exit 1; rm a.txt',
  'if make; then rm a.txt; fi',
  'while read x; do rm a.txt; done',
  'case $x in y) rm a.txt;; esac',
  'for x in *; do rm a.txt; done',
  'rm a.txt &',
  'ls | xargs rm a.txt',
  'find . -name x -exec rm a.txt \\;',
  'cd sub; rm ../a.txt; rm a.txt',
  "trap 'rm a.txt' EXIT",
  'f() { rm a.txt; }; if make; then f() { ls; }; fi; f',
])('whether %s removes it is not sure', (command) => {
  expect(named(command)).not.toContain('remove a.txt')
  expect(named(command)).toContain('maybe remove a.txt')
})

test('what a search deletes depends on what it finds', () => {
  expect(named('find src -name "*.tmp" -delete')).toEqual(['maybe remove src'])
})
