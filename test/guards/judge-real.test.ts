import { spawnSync } from 'node:child_process'
import * as fs from 'node:fs'
import { join, relative } from 'node:path'
import { expect, test } from 'vitest'
import { judge } from '../../src/shell/judge.ts'
import { newWorkspace } from '../kit/workspace.ts'

/** Commands that are run for real: whatever changes must be among what the judgement allows, and nothing else may. */
const RUN: readonly string[] = [
  // Nothing changes.
  'ls -la; cat a.txt | sort | uniq -c; wc -l src/*',
  'cat a.txt > /dev/null 2>&1',
  'cat < a.txt 2>/dev/null >&2',
  "sed 's/a/b/' a.txt; sed -n '1,2p' a.txt; sed '/x/d' a.txt",
  "awk '{ print $1 > \"/dev/stderr\" }' a.txt; awk '$1 > 1 { print }' a.txt",
  'find . -name "*.txt" -exec cat {} +; find . -type f | xargs wc -l',
  'diff <(sort a.txt) <(sort b.txt)',
  'for f in *; do echo "$f"; done | head -2',
  'git status; git log --oneline; git diff; git branch; git stash list',
  'tar cf - src | tar tf -',
  'gzip -c a.txt | gunzip -c',
  'python3 -c "print(open(\'a.txt\').read().upper())"',
  "python3 - <<'EOF'\nimport json, os\nprint(json.dumps(os.listdir('.')))\nEOF",
  "node -e \"console.log(require('fs').readFileSync('a.txt', 'utf8').length)\"",
  "perl -ne 'print if /a/' a.txt; perl -pe 's/a/b/' a.txt",
  'D=$(mktemp -d); cp a.txt "$D"; rm -rf "$D"',
  'echo "rm a.txt"; echo \'> a.txt\'; printf "%s" "a > b"',
  'cat <<EOF\n> a.txt\nrm a.txt\nEOF',
  'f() { grep "$1" a.txt; }; f a; (cd src && ls)',
  'test -f a.txt && [ -d src ] && [[ -e b.txt ]]',
  'dd if=a.txt of=/dev/null; tee < a.txt; tee /dev/null < a.txt',
  'sort a.txt b.txt; comm a.txt b.txt; paste a.txt b.txt; cut -c1 a.txt',
  // Something does.
  'rm a.txt',
  'rm -rf src; mkdir src && touch src/new',
  'rm src/*.ts',
  'mv a.txt c.txt; mv b.txt src/',
  'cp a.txt c.txt; cp -r src copy; cp a.txt src/..; cp src/x.ts .',
  'cp -t src a.txt b.txt',
  'touch n{1..3} {p,q}.md',
  'echo x > a.txt; echo y >> b.txt; echo z &> all.log; ls nothing 2> err.log',
  'echo x >| c; cat a.txt 1<> b.txt',
  'cat > src/h.txt <<EOF\nhello\nEOF',
  'ls | tee list.txt | tee -a src/list.txt > third.txt',
  "sed -i 's/a/b/' a.txt; sed -i.bak s/b/c/ b.txt",
  "sed -n 'w out.txt' a.txt; sed 's/a/b/w changed.txt' a.txt",
  'awk \'{ print > "w.txt" }\' a.txt; awk \'{ print $1 > ("col-" NR) }\' a.txt',
  "perl -pi -e 's/a/z/' a.txt; perl -i.orig -pe 's/b/y/' b.txt",
  'ln -s a.txt link; ln -sf b.txt link; ln a.txt hard',
  'chmod +x a.txt; chmod -x a.txt; chmod -R go-r src; chmod 600 b.txt',
  'truncate -s 3 a.txt; dd if=/dev/zero of=z.bin bs=1 count=4; split -l 1 a.txt part-',
  'install -m 600 a.txt inst.txt; install -d d1 d2/d3',
  'tar czf t.tgz src && mkdir x && tar xzf t.tgz -C x',
  'tar xf arc.tar',
  'gzip a.txt; gunzip arc.gz',
  'find src -name "*.ts" -delete',
  "find . -name '*.txt' -exec sed -i s/a/b/ {} \\;",
  'find src -type f | xargs rm',
  'grep -rl a src | xargs -I{} cp {} {}.bak',
  'find src -type f -print0 | while IFS= read -r -d "" f; do mv "$f" "$f.old"; done',
  'find src -fprint found.txt',
  'for f in a b; do cp $f.txt "$f.copy"; done',
  'for f in src/*.ts; do mv "$f" "${f%.ts}.js"; done',
  'cd src && rm x.ts; touch here',
  'cd nowhere; rm a.txt',
  'cd src; touch inside; cd ..; touch outside',
  '(cd src; touch sub); touch top',
  'cd src && cd ../sub && rm deep.txt && cd - && touch back',
  'pushd sub && touch p && popd && touch q',
  'V=a.txt; rm "$V"; W="b.txt c"; touch $W',
  'A=(one two); touch "${A[@]}"',
  'f() { touch "$1" "$2"; }; f m1 m2',
  "bash -c 'rm a.txt; cd src && touch bc'",
  'sh -c \'touch "$1"\' _ given',
  "eval 'touch ev; rm b.txt'",
  'bash <<EOF\ntouch from-heredoc\nEOF',
  'env X=1 touch e1; command touch e2; nohup touch e3 >/dev/null 2>&1; timeout 5 touch e4; time touch e5',
  'touch "$(echo computed)"',
  'echo $(touch s1) `touch s2` > >(cat > s3); sleep 0.2',
  'if [ -f a.txt ]; then rm a.txt; else touch no; fi; case x in x) touch cased;; esac',
  'i=0; while [ $i -lt 2 ]; do touch "w$i"; i=$((i+1)); done',
  'true && touch yes1 || touch no1; false && touch no2 || touch yes2',
  'touch bg & wait',
  'sort -o sorted.txt a.txt; uniq a.txt u.txt; sort a.txt -o a.txt',
  "python3 -c \"open('py.txt','w').write('x')\"",
  'python3 -c "import pathlib; pathlib.Path(\'a.txt\').unlink()"',
  "node -e \"require('fs').writeFileSync('js.txt', 'x')\"",
  'git checkout -- tracked.txt; git checkout HEAD -- src',
  'git restore tracked.txt; git rm -q tracked.txt',
  'git mv tracked.txt renamed.txt',
  'git stash -u -q',
  'git clean -fdq src; git reset --hard -q',
  'git diff > p.diff; git apply -R p.diff',
  'git checkout -q -b other && git checkout -q -',
  'patch a.txt < fix.diff',
  'xargs rm < names',
  'echo b.txt | xargs rm; ls a.txt | xargs -n1 rm',
  'rm -- -dash; touch -- -dash2',
  'exec 3> fd3.txt; echo x >&3; exec > rest.log; echo y',
  'set -e; cd src; touch strict',
  'mkdir -p deep/er/est; rmdir deep/er/est',
  'tee copy1 copy2 < a.txt > copy3',
  './script.sh',
  'source ./script.sh',
  'pushd /tmp && cd /var; popd; touch back-again',
  'pushd /tmp; pushd /var; popd; popd; touch twice-back',
  '[ -d /nowhere ] && cd /tmp; touch still-here',
  'cd nowhere && cd /tmp; touch stayed',
  'cd /nowhere/at/all && ls || touch not-there',
  'set -e; set +e; cd /nowhere/at/all; touch lenient',
  'set -e; [ -d /nowhere ] && cd /nowhere; touch strict-here',
  "trap 'touch at-exit' EXIT; cd src",
  'f() { ls; }; if true; then f() { touch by-f; }; fi; f',
  'D=/tmp/none; echo "D=src" > .env; source ./.env; rm -rf "$D/x.ts"',
  'S=; $S touch by-nothing; ${S:+env} touch by-none; touch ${S:-by-default}',
  'for c in status "stash -u -q"; do git $c; done; for o in -n -i; do sed $o s/a/b/ a.txt; done',
  'O=-n; [ a ] && O=-i; sed $O s/a/q/ a.txt',
  "perl -0pi -e 's/a/z/' a.txt; perl -lpi -e 's/b/y/' b.txt; perl -0777pi -e 's/l/m/' src/x.ts",
  'gzip -q a.txt; cp arc.gz y.tgz; gunzip y.tgz',
  "bash -cl 'touch login'; bash -ce 'touch strict'",
  'awk \'/^a/{print > "as.txt"}\' a.txt; awk \'{print "# " $0 > "md.txt"}\' a.txt; awk \'!/^#/ {system("touch " $1)}\' a.txt',
  'awk \'{print > "part" NR ".txt"}\' a.txt',
  "sed -n ':x;N;$!bx;w all.txt' a.txt; sed -n '/[/]\\|a/w as.txt' a.txt; sed -n '\\,a,w at.txt' a.txt",
  'python3 -m zipfile -c z.zip src; python3 -m tarfile -c z.tar src',
  "find src -execdir touch marker \\;; find src -name x.ts -printf '%f\\n' | xargs touch",
  'cd /tmp && tar xf "$OLDPWD/arc.tar" -C "$OLDPWD/sub"',
  'git checkout -q -fb forced; git clone -q --bare . bare; git clone -q --mirror . && ls',
]

function listing(root: string): Map<string, string> {
  const found = new Map<string, string>()
  for (const entry of fs.readdirSync(root, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    const rel = relative(root, path)
    if (rel === '.git' || rel.startsWith('.git/')) continue
    const { mode, mtimeNs } = fs.lstatSync(path, { bigint: true })
    const content = entry.isFile()
      ? fs.readFileSync(path, 'latin1')
      : entry.isSymbolicLink()
        ? fs.readlinkSync(path)
        : ''
    found.set(rel, `${mode}:${entry.isFile() ? mtimeNs : ''}:${content}`)
  }
  return found
}

function changed(before: Map<string, string>, after: Map<string, string>): string[] {
  return [...new Set([...before.keys(), ...after.keys()])].filter((path) => before.get(path) !== after.get(path)).sort()
}

const covers = (paths: readonly string[] | null, path: string): boolean =>
  // A folder that had to be made on the way to a path is no surprise.
  paths === null || paths.some((one) => path === one || path.startsWith(`${one}/`) || one.startsWith(`${path}/`))

const bash = (script: string, cwd: string, home: string) =>
  spawnSync('bash', ['-c', script], {
    cwd,
    timeout: 20_000,
    encoding: 'utf8',
    input: '',
    env: {
      PATH: `${join(process.execPath, '..')}:${process.env['PATH']}`,
      HOME: home,
      PYTHONDONTWRITEBYTECODE: '1',
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_AUTHOR_NAME: 'a',
      GIT_AUTHOR_EMAIL: 'a@b',
      GIT_COMMITTER_NAME: 'a',
      GIT_COMMITTER_EMAIL: 'a@b',
    },
  })

const SETUP = `
printf 'a\\nb\\nabc\\n' > a.txt; printf 'b\\nc\\n' > b.txt; mkdir src sub; echo 'let a' > src/x.ts; echo 'let y' > src/y.ts
echo d > sub/deep.txt; echo t > tracked.txt; echo b.txt > names; echo x > ./-dash
printf '1c1\\n< a\\n---\\n> A\\n' > fix.diff; printf '#!/bin/sh\\ntouch by-script\\n' > script.sh; chmod +x script.sh
tar cf arc.tar a.txt sub; echo z | gzip > arc.gz
git init -q . && git add tracked.txt src && git commit -qm x && echo more >> tracked.txt`

/** Some of the samples need a program that not every machine has. */
const has = (name: string): boolean => spawnSync('bash', ['-c', `command -v ${name}`]).status === 0
const runnable = RUN.filter((command) =>
  ['python3', 'perl', 'patch'].every((name) => !command.includes(name) || has(name)),
)

test('a command changes at most what its judgement says', () => {
  const surprises: unknown[] = []
  const model = newWorkspace()
  expect(bash(SETUP, model.root, model.temp).status).toBe(0)
  for (const command of runnable) {
    const ws = newWorkspace()
    const home = join(ws.temp, 'user')
    fs.mkdirSync(home)
    fs.cpSync(model.root, ws.root, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true })
    const before = listing(ws.root)
    bash(command, ws.root, home)
    const found = changed(before, listing(ws.root))
    const said = judge(command, { cwd: ws.root, workspace: ws.root, home })
    if (found.length > 0 && !said.modifies) surprises.push({ command, found, said: said.why })
    const beyond = found.filter((path) => !covers(said.paths, path))
    if (beyond.length > 0) surprises.push({ command, beyond, paths: said.paths })
  }
  expect(surprises).toEqual([])
})

test('what changes nothing is seen to change nothing', () => {
  const quiet = RUN.slice(0, RUN.indexOf('rm a.txt'))
  const ws = { cwd: '/w', workspace: '/w', home: '/root' }
  expect(quiet.filter((command) => judge(command, ws).modifies)).toEqual([])
})
