import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { type JudgeContext, judge } from './judge.ts'

const shop: JudgeContext = { cwd: '/home/ann/shop', workspace: '/home/ann/shop', home: '/home/ann' }
const inSub: JudgeContext = { ...shop, cwd: '/home/ann/shop/sub' }
const inTmp: JudgeContext = { cwd: '/tmp/w', workspace: '/tmp/w', home: '/root' }
const elsewhere: JudgeContext = { ...shop, cwd: '/srv/other' }

const pathsOf = (command: string, context = shop) => judge(command, context).paths
const modifies = (command: string, context = shop) => judge(command, context).modifies

describe('where it runs', () => {
  test('paths are told from the root of the workspace', () => {
    expect(pathsOf('rm x', inSub)).toEqual(['sub/x'])
    expect(pathsOf('rm ../x', inSub)).toEqual(['x'])
    expect(pathsOf('touch /tmp/w/a', inTmp)).toEqual(['a'])
  })
  test('outside of the workspace it may do what it wants', () => {
    for (const command of ['rm -rf x', 'npm install', 'git reset --hard', 'make', 'git commit -m x'])
      expect(judge(command, elsewhere), command).toMatchObject({ modifies: false, git_dir: false, paths: [] })
    expect(modifies('cd /srv && npm install')).toBe(false)
    expect(modifies('./script.sh', elsewhere)).toBe(true)
  })
  test('a workspace in /tmp is not /tmp', () => {
    expect(modifies('echo x > /tmp/y', inTmp)).toBe(false)
    expect(modifies('rm -rf /tmp/foo-$X', inTmp)).toBe(false)
    expect(modifies('rm -rf /tmp/$X', inTmp)).toBe(true)
    expect(modifies('rm -rf /tmp/*', inTmp)).toBe(true)
    expect(modifies('rm -rf /tmp/*.log', inTmp)).toBe(false)
    expect(modifies('D=$(mktemp -d); rm -rf "$D"', inTmp)).toBe(false)
  })
  test('what is above the workspace concerns it when it goes deep', () => {
    expect(pathsOf('rm -rf ..')).toBe(null)
    expect(modifies('rm -rf ../other')).toBe(false)
    expect(modifies('chmod 755 ..')).toBe(false)
    expect(pathsOf('chmod -R 755 ..')).toBe(null)
    expect(pathsOf('find / -name x -delete')).toBe(null)
  })
  test('going to a folder may fail, unless what follows depends on it', () => {
    expect(pathsOf('cd sub; rm x')).toEqual(['sub/x', 'x'])
    expect(pathsOf('cd sub && rm x')).toEqual(['sub/x'])
    expect(pathsOf('cd sub || exit; rm x')).toEqual(['sub/x'])
    expect(pathsOf('set -e; cd sub; rm x')).toEqual(['sub/x'])
    expect(modifies('cd /nowhere; rm -rf x')).toBe(true)
    expect(modifies('cd /tmp; rm -rf x')).toBe(false)
  })
  test('without a home, ~ may be anywhere', () => {
    expect(pathsOf('rm ~/x', { cwd: '/w', workspace: '/w' })).toBe(null)
  })
})

describe('what the shell makes of words', () => {
  test.each<[string, string[] | null]>([
    ['F=a; F=b; rm $F', ['b']],
    ['[ -n "$X" ] && F=a; rm $F', null],
    ['F=a; if x; then F=b; fi; rm $F', null],
    ['F=a; if true; then F=b; fi; rm $F', ['a', 'b']],
    ['F="a b"; rm $F', ['a', 'b']],
    ['F="a b"; rm "$F"', ['a b']],
    ['O="-rf build"; rm $O', ['build']],
    ['files=(a b); rm "${files[@]}"', ['a', 'b']],
    ['a=rm; $a x', ['x']],
    ['r"m" x', ['x']],
    ["rm $'a b'", ['a b']],
    ['rm a{1..3}', ['a1', 'a2', 'a3']],
    ['rm a{,.bak}', ['a', 'a.bak']],
    ['rm {a,b{c,d}}', ['a', 'bc', 'bd']],
    ['f=x.ts; mv $f ${f%.ts}.js', ['x.ts', 'x.js']],
    ['for f in a b; do cp "$f" "$f.bak"; done', ['a.bak', 'b.bak']],
    ['for f in src/*; do rm "$f"; done', ['src']],
    ['for d in a b; do (cd $d && rm x); done', ['a/x', 'b/x']],
    ['while cd sub; do rm x; done', null],
    ['f() { rm "$@"; }; f a b', ['a', 'b']],
    ['f() { rm $1; }; g() { f x; }; g', ['x']],
    ['f() { f; rm x; }; f', null],
    ['sh -c \'rm "$1"\' _ x', ['x']],
    ['find src -exec sh -c \'rm "$1"\' _ {} \\;', ['src']],
    ['find src -name x | while read f; do rm "$f"; done', ['src']],
    ['find src | sort | head -3 | xargs rm', ['src']],
    ['$(echo rm) x', null],
    ['rm "$(cat list)"', null],
    ['rm -rf "${DIR:-build}"', null],
    ['cat <<EOF\n$(rm x)\nEOF', ['x']],
    ["cat <<'EOF'\n$(rm x)\nEOF", []],
    ['echo "${x:-$(rm y)}"', ['y']],
    ['(( $(rm y) ))', ['y']],
    ['[[ -n $(rm y) ]]', ['y']],
    ['case $(rm y) in *) ;; esac', ['y']],
    ['exec {fd}>log', ['log']],
    ['echo x >&2', []],
    ['echo x >&log', ['log']],
    ['cmd=ls; $cmd 3<>both', ['both']],
    ['chmod -x a b', ['a', 'b']],
    ['chmod -R u+x dir', ['dir']],
    ['rm -rf .git', ['.git']],
    ['aws s3 sync dist s3://bucket', null],
    ['docker cp web:/x out', null],
    ['git config -f .gitmodules submodule.x.url y', ['.gitmodules']],
    ["sed 's/a/b/w out' in", ['out']],
    ["sed -n '/a;w b/p' in", []],
    ['awk \'{ print "a > b" }\' in', []],
    ["awk '{ print $1 > $2 }' in", null],
    ['awk \'BEGIN { system("rm x") }\'', null],
  ])('%s', (command, paths) => {
    const found = pathsOf(command)
    expect(found && [...found].sort()).toEqual(paths && [...paths].sort())
  })
})

describe('code on the command line', () => {
  test.each([
    "python3 -c \"map(__import__('os').remove, ['x'])\"",
    'python3 -c "import os; list(map(os.remove, [1]))"',
    "python3 -c \"f = open; f('x', 'w')\"",
    "python3 -c \"open('x', mode='w')\"",
    'python3 -c "open(\'x\', m)"',
    'python3 -c "import mymodule"',
    'python3 -c "from os import remove as r; r(\'x\')"',
    'python3 -c "print(f\'{exec(1)}\')"',
    "node -e \"require('f'+'s').x\"",
    "node -e \"const {writeFileSync: w} = require('fs'); w('a', 'b')\"",
    "node -e \"require('fs')['write'+'FileSync']('a','b')\"",
    'node -e "import(\'fs\').then(console.log)"',
    "node -e 'eval(`1`)'",
    'node -e "require(\'./build.js\')"',
    "perl -e 'system q(rm x)'",
    "perl -ne 's/x/unlink $_/e'",
    'sed "1e rm x" in',
    "sed 's/.*/rm x/e' in",
  ])('%s may change something', (command) => expect(modifies(command)).toBe(true))
})

test('git_dir and rewrites_refs of git folder itself', () => {
  expect(judge('rm -rf .git', shop)).toMatchObject({ modifies: true, git_dir: true, rewrites_refs: true })
  expect(judge('rm -rf .git src', shop)).toMatchObject({ modifies: true, git_dir: false, rewrites_refs: true })
})

test('what cannot be parsed counts as a change and says so', () => {
  expect(judge('if true; then', shop)).toMatchObject({ modifies: true, paths: null })
  expect(judge("echo 'open", shop).why).toContain('cannot be read')
})

test('the reason names the part that decides', () => {
  const why = (command: string) => judge(command, shop).why
  expect(why('ls && rm -rf build && cat x')).toBe('rm may change build')
  expect(why('cat a > b')).toBe('> (of cat) may change b')
  expect(why('npm install')).toBe('npm install may change any file')
  expect(why('git commit -m x')).toBe("git commit changes only git's own folder")
  expect(why('ls')).toBe('It only reads')
  expect(why('rm /tmp/x')).toBe('rm changes something outside the workspace only')
})

describe('the store', () => {
  test.each([
    'rm -rf ~/.timewarp',
    'rm -rf $HOME/.timewarp/',
    'sudo rm -rf /home/ann/.timewarp/objects',
    'rm ~/.timewarp/timewarp.db',
    'rm -rf ~/.timewarp/*',
    'rm -rf ~/.time*',
    'mv ~/.timewarp /tmp/x',
    'find ~/.timewarp -delete',
    'find ~/.timewarp -name "*.pack" -delete',
    'find ~/.timewarp -type f -exec rm {} +',
    'rm -rf ~',
    'rm -rf /',
    'cd ~ && rm -rf .timewarp',
    'cd ~/.timewarp && rm -rf *',
    'echo x > ~/.timewarp/timewarp.db',
    'truncate -s 0 ~/.timewarp/timewarp.db',
    "bash -c 'rm -rf ~/.timewarp'",
    'ls && (rm -rf /home/ann)',
    'shred ~/.timewarp/objects/pack-1',
    'rsync -a --delete /tmp/empty/ ~/.timewarp/',
    'rm -rf $TIMEWARP_HOME',
    'rm -rf "${TIMEWARP_HOME}"/objects',
    'cd "$TIMEWARP_HOME" && rm -rf objects',
    'rm -rf "${TIMEWARP_HOME:-$HOME/.timewarp}"',
    'mv $TIMEWARP_HOME /tmp/x',
    'find $TIMEWARP_HOME -delete',
    'echo > $TIMEWARP_HOME/timewarp.db',
    'chmod -R 000 ~/.timewarp',
    'chmod 000 ~/.timewarp',
    'chown -R nobody ~/.timewarp',
    'chmod -R 777 ~',
    'dd if=/dev/zero of=$HOME/.timewarp/timewarp.db',
    'cp /dev/null ~/.timewarp/timewarp.db',
    'echo "{}" > ~/.timewarp/config.json',
    'echo "*" >> ~/.timewarp/ignore',
    'rm ~/.timewarp/trust/x.json',
    'python3 -c \'import shutil; shutil.rmtree("/home/ann/.timewarp")\'',
    'python3 -c \'import os,shutil; shutil.rmtree(os.environ["TIMEWARP_HOME"])\'',
    "python3 - <<'E'\nimport os, shutil\nshutil.rmtree(os.path.expanduser('~/.timewarp'))\nE",
    "node -e 'fs.rmSync(process.env.TIMEWARP_HOME, {recursive: true})'",
    'perl -e \'unlink "/home/ann/.timewarp/timewarp.db"\'',
    'timewarp uninstall --store',
    'timewarp uninstall --store --yes',
    "timewarp forget '**'",
    "timewarp --json -C /ws forget '**' --yes",
    'tw prune',
    'timewarp gc',
    'timewarp unpin s_1',
    'npx timewarp forget x',
    'npx --yes timewarp@1 prune',
    '/opt/tw/bin/timewarp prune',
    './node_modules/.bin/timewarp gc',
    'node /opt/tw/dist/main.cjs forget x',
    'sh /opt/tw/bin/timewarp prune',
    'sudo timewarp forget x',
    'env TIMEWARP_DAEMON=off timewarp forget x',
    "bash -c 'timewarp forget x'",
    'true && timewarp trust --yes',
    'timewarp trust',
    'timewarp config guard.protect_store false',
    'timewarp config --home retention.manual_days 0',
    'timewarp config --unset secrets.paths',
    'timewarp git-rescue --forget-all',
    `timewarp call forget '{"pattern":"**"}'`,
    'timewarp call prune',
    'echo "{}" | timewarp call uninstall -',
    `timewarp call uninstall '{"store":true}'`,
    `timewarp call config '{"key":"daemon","value":"false"}'`,
    `timewarp call trust '{"yes":true}'`,
  ])('%s would delete it', (command) => expect(judge(command, shop).deletes_store).toBe(true))
  test.each([
    'ls ~/.timewarp',
    'du -sh ~/.timewarp',
    'cat ~/.timewarp/config.json',
    'rm -rf .timewarp',
    'rm -rf ~/*',
    'rm -rf $DIR',
    'rm ~/.timewarp',
    "find ~ -name '*.tmp' -delete",
    'cp -r ~/.timewarp /tmp/backup',
    'rm -rf build',
    'echo rm -rf ~/.timewarp',
    "grep 'rm -rf ~/.timewarp' notes",
    'timewarp prune --dry-run',
    "timewarp forget '**' --dry-run",
    'timewarp forget --help',
    'timewarp snapshot -m forget',
    'timewarp restore s_1 --yes',
    'timewarp log',
    'timewarp uninstall',
    'timewarp config',
    'timewarp config retention.edits_days',
    'timewarp trust --dry-run',
    'timewarp call status',
    `timewarp call config '{}'`,
    `timewarp call prune '{"dry_run": true}'`,
    'echo x > ~/.timewarp/logs/mine.log',
    'echo $TIMEWARP_HOME',
    'ls "$TIMEWARP_HOME"',
    'chmod +x build.sh',
    'chmod -R u+w .',
    'python3 -c \'import os; print(os.environ["TIMEWARP_HOME"])\'',
    'python3 -c \'import shutil; shutil.rmtree("build")\'',
    'node build.js',
    'node dist/main.cjs log',
  ])('%s does not', (command) => expect(judge(command, shop).deletes_store).toBe(false))
  test('it is where the context says', () => {
    expect(judge('rm -rf /data/tw', { ...shop, store: '/data/tw' }).deletes_store).toBe(true)
    expect(judge('rm -rf ~/.timewarp', { ...shop, store: '/data/tw' }).deletes_store).toBe(false)
  })
})

const fragment = fc.constantFrom(
  ...'rm -rf x > >> | || && ; & ( ) { } $( ` " \' $X ${ } ${X%y} <<EOF \n EOF if then fi for in do done case esac while sed -i s/a/b/ find -exec {} \\; xargs git reset python -c awk * ? [a] {a,b} ~ .. /'.split(
    ' ',
  ),
)

test('whatever it is given, it answers', () => {
  const line = fc.oneof(
    fc.string(),
    fc.array(fragment, { maxLength: 14 }).map((words) => words.join(' ')),
  )
  fc.assert(
    fc.property(line, (command) => {
      const said = judge(command, shop)
      expect(said.modifies).toBe(said.paths === null || said.paths.length > 0)
    }),
    { numRuns: 2000 },
  )
})

test('nesting without end is answered as well', () => {
  expect(modifies('$('.repeat(5000))).toBe(true)
  expect(modifies(`${'('.repeat(3000)}ls${')'.repeat(3000)}`)).toBe(true)
  expect(modifies(`echo ${'x'.repeat(500_000)}`)).toBe(false)
})

test('a command is judged in well under a millisecond', () => {
  const commands = [
    'ls -la',
    'cd sub && rm -rf build',
    'git log --oneline -20 | head',
    "sed -i 's/a/b/' x",
    'npm install',
  ]
  for (let i = 0; i < 300; i++) for (const command of commands) judge(command, shop)
  const before = performance.now()
  for (let i = 0; i < 200; i++) for (const command of commands) judge(command, shop)
  expect((performance.now() - before) / 1000).toBeLessThan(1)
})
