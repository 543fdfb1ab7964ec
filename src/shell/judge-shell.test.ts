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
    ['go() { cd /tmp; }; go; touch a', []],
    ['go() { cd /tmp/out; }; go; touch a', ['a']],
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
    `${'for a in 1 2; do '.repeat(20)}cd x; v=$v1; touch a${'; done'.repeat(20)}`,
    `f0(){ ls; }; ${Array.from({ length: 20 }, (_, at) => `f${at + 1}(){ f${at}; f${at}; };`).join(' ')} f20`,
    'fib(){ if [ $1 -lt 2 ]; then echo 1; else echo $(( $(fib 1) + $(fib 2) )); fi; }; fib 5',
  ])('%s is answered, where every way through it would take for ever', { timeout: 10_000 }, (command) => {
    expect(judge(command, shop).modifies).toBe(true)
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
    ['for o in "ls b" "rm a"; do bash -c "$o"; done', ['a']],
    ['for d in a b; do cd $d; rm x; cd ..; done', null],
  ])
})

describe('flags in variables', () => {
  each([
    ['npx prettier $FLAGS src', null],
    ['npx eslint "$@"', null],
    ['sed $OPTS s/a/b/ notes.txt', ['notes.txt', 's/a/b']],
    ['gofmt $X .', null],
    ["find logs -name '*.tmp' $ACTION", ['logs']],
    ['F="--write --cache"; if true; then F=--check; fi; npx prettier $F src', null],
    ['npx eslint ${FIX:+--fix} src', null],
    ['npx eslint $([ "$FIX" ] && echo --fix) src', null],
    ['npx prettier ${MODE:---check} src', null],
    // What is last, or in quotes, is a file.
    ['npx eslint $FILE', []],
    ['npx prettier --check "$FILE" README.md', []],
    ['sed -n 1,5p $file', []],
    ['for f in $(git ls-files); do sed -n 1p "$f"; done', []],
    ['find "$DIR" -name "$NAME"', []],
    ['gofmt -l $dir', []],
    ['grep $OPTS todo src', []],
    ['git log $RANGE src', []],
    ['npx eslint ${QUIET:+--quiet} src', []],
    ['sed -n 1p "$DIR$file"', []],
  ])
  test('of a git branch they rewrite nothing', () => {
    expect(judge('git branch $NAME main', shop)).toMatchObject({ modifies: false, git_dir: true, rewrites_refs: false })
  })
})

describe('variables that are empty', () => {
  each([
    ['SUDO=; $SUDO rm -rf build', ['build']],
    ['SUDO=; [ "$ROOT" ] || SUDO=sudo; $SUDO rm -rf build', ['build']],
    ['${ASK:+sudo} rm a', ['a']],
    ['git ${QUIET:+--no-pager} log', []],
    ['OUT=; rm ${OUT:-dist}', ['dist']],
    ['A=; B=$A; rm "x$B"', ['x']],
  ])
})

describe('what is run by a setting', () => {
  each([
    ['GIT_EXTERNAL_DIFF=\'sh -c "rm x"\' git diff', ['x']],
    ['GIT_PAGER=cat git log', []],
    ['git -c core.pager="tee out.txt" -p log', ['out.txt']],
    ['git -c core.pager=cat -c color.ui=always diff', []],
    ['git -c core.fsmonitor=./evil.sh status', null],
    ['git -c core.fsmonitor=false status', []],
    ['git grep -O"touch a" foo', ['a']],
    ['git grep -n foo -- src', []],
    ['NODE_OPTIONS="--require ./x.js" node -v', null],
    ['NODE_OPTIONS=--max-old-space-size=4096 node -v', []],
  ])
})

describe('letters with a value behind them', () => {
  each([
    ["perl -0pi -e 's/a/b/' x", ['x']],
    ["perl -0777pi -e 's/a/b/' x", ['x']],
    ["perl -lpi -e 's/a/b/' x", ['x']],
    ["perl -lane 'print $F[0]' x", []],
    ['gzip -q x', ['x', 'x.gz']],
    ['brotli -q 9 x', ['x', 'x.br']],
    ['rsync -avP --remove-source-files dist/ web:/srv', ['dist']],
    ['rsync -avzhnP src/ dist', []],
    ["bash -cl 'rm x'", ['x']],
    ["bash -ce 'ls'", []],
    ["bash -c 'rm $1' _ x", ['x']],
    ['iconv -f latin1 --output b.txt a.txt', ['b.txt']],
    ['make -nB all', []],
    ['git clean -nfdx', []],
  ])
})

describe('where the words of a command lead', () => {
  test.each([
    'cmake -S /home/ann/shop -B /home/ann/shop/build',
    'docker run --rm -v /home/ann/shop:/app node npm ci',
    'docker run --rm -v /home/ann:/work node npm ci',
    'pip install --target=/home/ann/shop/lib y',
    'terraform -chdir=/home/ann/shop state rm x',
    'make install PREFIX=/home/ann/shop/out',
    'DESTDIR=/home/ann/shop/out make install',
    'pytest ../home/ann/shop/tests',
  ])('cd /tmp && %s', (command) => expect(pathsOf(`cd /tmp && ${command}`)).toBe(null))
  test.each([
    'npm run build',
    'cmake -S . -B build',
    'tar xzf /home/ann/shop/a.tgz',
    'unzip /home/ann/shop/a.zip',
    'gcc -c /home/ann/shop/a.c',
    'make install PREFIX=/usr/local',
    'pytest /home/ann/shop-old/tests',
    'git pull /home/ann/shop main',
  ])('cd /tmp && %s changes nothing here', (command) => expect(pathsOf(`cd /tmp && ${command}`)).toEqual([]))
})

describe('names that a program makes up', () => {
  each([
    ['wget https://example.com/a.zip', null],
    ['cd sub && wget "https://example.com/get?id=1"', ['sub']],
    ['curl -O "https://example.com/a.zip?x=1"', ['a.zip']],
    ['cd sub && curl -OJ https://example.com/download', ['sub']],
    ['curl -O "https://example.com/{a,b}.zip"', null],
    ['curl -o "dl/#1.txt" "https://example.com/[1-3]"', ['dl']],
    ['gcc -Wno-unused -c a.c', null],
    ['gcc -Wno-error -o app a.c', ['app']],
    ['gcc -MMD -MF a.d -c a.c -o /tmp/a.o', null],
    ['gcc -M -MF a.d a.c', ['a.d']],
    ['fd -e md -x pandoc {} -o {.}.pdf', null],
    ['fd -HIx rm', null],
    ['parallel pandoc {} -o {.}.pdf ::: a.md b.md', null],
    ['parallel rm ::: a b', ['a', 'b']],
    ["parallel 'sort {} > out/{/}' ::: a b", null],
    ["find src -printf '%f\\n' | xargs rm", null],
    ['find src -name list -exec cat {} + | xargs rm', null],
    ['find src -execdir touch marker \\;', ['src']],
    ['find src -execdir rm {} +', ['src']],
    ['cd cmd/app && go mod tidy', ['cmd/app/go.mod', 'cmd/app/go.sum', 'cmd/go.mod', 'cmd/go.sum', 'go.mod', 'go.sum']],
    ['git clone --bare https://example.com/o/r.git', ['r.git']],
    ['git clone --mirror https://example.com/o/r', ['r.git']],
    ['git clone --shallow-since 2024-01-01 https://example.com/o/r.git', ['r']],
    ['gunzip x.tgz', ['x.tar', 'x.tgz']],
    ['awk \'{ print > "part" n ".txt" }\' in', null],
    ['awk \'{ print > "/tmp/part" n }\' in', []],
  ])
})

describe('small languages', () => {
  each([
    ['awk \'/^#/ { print > "comments.txt" }\' in', ['comments.txt']],
    ['awk \'{ print "# " $0 > "out.md" }\' in', ['out.md']],
    ['awk \'!/^#/ { system("rm " $1) }\' in', null],
    ['awk \'{ print $1 } # > "x"\' in', []],
    ["sed ':a;N;$!ba;w out.txt' in", ['out.txt']],
    ["sed ':a;N;$!ba;s/x/y/' in", []],
    ["sed 'a\\\nwith text' in", []],
    ["sed '/[/]a/w out.txt' in", ['out.txt']],
    ["sed '\\|a|,\\#b#w out.txt' in", ['out.txt']],
    ["sed '\\,/w x,d' in", []],
  ])
})

describe('code', () => {
  test.each([
    "python3 -c \"list(map(open, ['a'], ['w']))\"",
    'python3 -c "print(f\\"{open(\'a\', \'w\')}\\")"',
    'node -e \'const f = require("fs"), k = "writeFileSync"; const w = f[k]; w("a", "b")\'',
    `node -e '${'console.log(1);'.repeat(5000)}'`,
  ])('%.60s may change something', (command) => expect(judge(command, shop).modifies).toBe(true))
  each([
    ['python3 -c "import platform; print(platform.system())"', []],
    ['python3 -c "import os; os.system(1)"', null],
    ["node --input-type=module -e 'console.log(import.meta.url)'", []],
    ["ruby -e 'puts 1+1'", []],
    ["php -r 'var_dump(PHP_OS);'", []],
    ["ruby -e 'puts `rm x`'", null],
    ['python3 -c "print(open(\'a\').read())"', []],
    ['node -e \'const d = JSON.parse(require("fs").readFileSync("a")); for (const k in d) console.log(d[k])\'', []],
  ])
})

describe("git's own folder", () => {
  test.each([
    'git --work-tree=/tmp/out checkout -f HEAD -- .',
    'cd /tmp && git --git-dir=/home/ann/shop/.git branch -D x',
    'git fsck --lost-found',
    'git rerere clear',
    'git checkout -b x',
    'git switch -c x',
  ])('%s', (command) => expect(judge(command, shop)).toMatchObject({ modifies: false, git_dir: true }))
  test.each(['git checkout -fb x', 'git switch --discard-changes -c x', 'git rerere', 'git submodule set-url a b'])(
    '%s changes files',
    (command) => expect(judge(command, shop)).toMatchObject({ modifies: true, git_dir: false }),
  )
  test.each(['git rerere status', 'git fsck', 'git --git-dir=/srv/r.git branch -D x'])(
    '%s changes nothing',
    (command) => expect(judge(command, shop)).toMatchObject({ modifies: false, git_dir: false }),
  )
})

describe('help', () => {
  test.each([
    'dotnet add package Serilog --version 4.0.0',
    'helm pull bitnami/redis --version 18.1.0 --untar',
    './release.sh --version 1.2.3',
    'node scripts/release.js --version',
    'bash deploy.sh --version 2',
    'python tools/bump.py --version 1.2',
    'ctest -V',
    'yarn build --version',
  ])('%s does not ask for it', (command) => expect(judge(command, shop).modifies).toBe(true))
  test.each([
    'dotnet --version',
    'rustc --version --verbose',
    'docker compose --version',
    'cmake --help',
    'terraform plan --help',
    'node --version',
    'yarn --help',
    'python -m mypy --version',
  ])('%s asks for it', (command) => expect(judge(command, shop).modifies).toBe(false))
})
