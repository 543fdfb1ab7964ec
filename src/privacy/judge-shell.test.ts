import { describe, expect, test } from 'vitest'
import { type JudgeContext, judge } from './judge.ts'

const shop: JudgeContext = { cwd: '/home/ann/shop', workspace: '/home/ann/shop', home: '/home/ann' }

const pathsOf = (command: string) => {
  const { paths } = judge(command, shop)
  return paths && [...paths].sort()
}

/** Commands with the paths that they can touch. */
const each = (rows: readonly (readonly [command: string, paths: readonly string[] | null])[]) =>
  test.each(rows)('%s', (command, paths) => expect(pathsOf(command)).toEqual(paths && [...paths].sort()))

describe('where the shell stands', () => {
  each([
    ['pushd /tmp && cd log && ls; popd; touch a', ['a']],
    ['pushd /tmp; pushd /var/tmp; popd; popd; touch a', ['a']],
    ['pushd /tmp; pushd /var/tmp; popd; touch a', []],
    ['pushd /tmp; pushd; touch a; pushd; touch b', ['a']],
    ['for d in web api; do pushd $d; rm x; popd; done; touch y', ['api/x', 'web/x', 'x', 'y']],
    ['if true; then pushd /tmp; fi; popd; touch a', null],
    ['[ -d /tmp/out ] && cd /tmp; touch a', ['a']],
    ['cd build && cd /tmp; touch a', ['a']],
    ['cd /tmp && cd /var/tmp; touch a', []],
    ['echo go && cd /tmp; touch a', []],
    ['cd /tmp/out && ls || echo failed > status.txt', ['status.txt']],
    ['cd /tmp && ls || touch a', []],
    ['cd /tmp/out && make || exit 1; touch a', []],
    ['cd sub && ls || exit 1; rm x', ['sub/x']],
    ['set -e; [ -d /tmp/out ] && cd /tmp/out; touch a', ['a']],
    ['set -e; cd /tmp/out; rm -rf build', []],
    ['set -e; set +e; cd /tmp/out; rm -rf build', ['build']],
    ['set -o errexit; set +o errexit; cd /tmp/out; rm -rf build', ['build']],
    ['set -e; if true; then set +e; fi; cd /tmp/out; rm -rf build', ['build']],
    ["trap 'rm -rf build' EXIT; cd sub", ['build', 'sub/build']],
    ["trap 'rm -rf /tmp/out' EXIT; make -n", []],
  ])
})

describe('functions', () => {
  each([
    ['clean() { ls; }; if true; then clean() { rm a; }; fi; clean', ['a']],
    ['clean() { rm a; }; clean() { rm b; }; clean', ['b']],
    ['walk() { walk; }; walk', null],
  ])
  test.each([
    ':(){ :|:& };:',
    'f(){ f; f; }; f',
    `f0(){ ls; }; ${Array.from({ length: 20 }, (_, at) => `f${at + 1}(){ f${at}; f${at}; };`).join(' ')} f20`,
    'fib(){ if [ $1 -lt 2 ]; then echo 1; else echo $(( $(fib 1) + $(fib 2) )); fi; }; fib 5',
  ])('%s is answered at once', (command) => {
    judge(command, shop)
    const before = performance.now()
    expect(judge(command, shop).modifies).toBe(true)
    expect(performance.now() - before).toBeLessThan(50)
  })
})

describe('a word that may be several things', () => {
  each([
    ['for c in status pull; do git $c; done', null],
    ['for c in status log; do git $c; done', []],
    ['for s in ps up; do docker compose $s; done', null],
    ['for m in --check --write; do npx prettier $m src; done', ['src']],
    ['MODE=--check; if true; then MODE=--write; fi; npx prettier $MODE src', ['src']],
    ['for t in node git; do $t --version; done', []],
    ['for t in cat rm; do $t a; done', ['a']],
    ['for o in "rm a" "ls b"; do bash -c "$o"; done', ['a']],
    ['for d in a b; do cd $d; rm x; cd ..; done', null],
  ])
})
