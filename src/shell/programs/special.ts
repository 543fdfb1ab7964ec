import { posix } from 'node:path'
import { lookUp } from '../../base/look-up.ts'
import { type Arg, hasAny, surelyHas, textOf, valuesOf } from '../options.ts'
import { ANY, isKnown } from '../paths.ts'
import type { Run } from '../run.ts'
import { onlyReads } from './code.ts'
import { FOR_EACH } from './each.ts'
import { runGit } from './git.ts'
import { awkWrites, perlReads, sedWrites } from './scripts.ts'
import { TRANSFER } from './transfer.ts'

/** Programs whose words need more than a row. */
export type Special = (run: Run) => void

const basenames = (arg: Arg): string[] => arg.map((path) => posix.basename(path) || ANY)

/** The sources keep their names if the target is a folder; otherwise the target itself is written. */
function into(run: Run, sources: readonly Arg[], target: Arg): void {
  if (target.some((path) => /^(\.{1,2}|.*\/\.{1,2}|~)$/.test(path)) && sources.every((one) => one.every(isKnown)))
    for (const source of sources)
      run.touch(
        target.flatMap((folder) => basenames(source).map((name) => posix.join(folder, name))),
        'write',
        true,
        [source],
      )
  else run.touch(target, 'write', true, sources)
}

const copies: Special = (run) => {
  const options = run.options('t S m o g --target-directory --suffix --mode --owner --group')
  const folder = valuesOf(options, '-t --target-directory')[0]
  // A backup of an overwritten file gets a name that depends on existing files.
  if (hasAny(options, '-b --backup -S --suffix')) run.here()
  if (folder) return into(run, options.operands, folder)
  if (run.name === 'install' && hasAny(options, '-d --directory')) return run.deed('all', options.operands)
  const target = options.operands.at(-1)
  if (target)
    into(
      run,
      options.operands.slice(0, -1),
      options.operands.length > 1 || run.name !== 'ln' ? target : basenames(target),
    )
}

const sed: Special = (run) => {
  const options = run.options('e f l i? --expression --file --line-length')
  const scripts = valuesOf(options, '-e --expression')
  const edits = options.isLoose || hasAny(options, '-i --in-place')
  if (hasAny(options, '-f --file')) run.here()
  let files = options.operands
  // `sed -i '' s/a/b/ file`, as on a Mac.
  if (edits && textOf(files[0]) === '') files = files.slice(1)
  if (scripts.length === 0 && !hasAny(options, '-f --file')) [scripts[0], files] = [files[0] ?? [''], files.slice(1)]
  if (edits) edited(run, files.length > 0 ? files : [[ANY]], valuesOf(options, '-i --in-place'))
  for (const script of scripts.flat()) {
    const written = sedWrites(script)
    if (written === undefined) run.anything()
    else
      run.deed(
        'all',
        written.map((file) => [file]),
      )
  }
}

/** Files changed in place; with a suffix, the old version stays under a longer name. */
function edited(run: Run, files: readonly Arg[], suffixes: readonly Arg[]): void {
  run.deed('all', files)
  for (const suffix of suffixes.flat().filter(Boolean))
    run.deed(
      'all',
      files.map((file) => file.map((path) => (/[*/]/.test(suffix) ? ANY : path + suffix))),
    )
}

const awk: Special = (run) => {
  const options = run.options('F v f i --file --include --assign --field-separator')
  const isGiven = hasAny(options, '-f --file')
  const files = isGiven ? options.operands : options.operands.slice(1)
  if (valuesOf(options, '-i --include').some((arg) => textOf(arg) === 'inplace')) run.deed('all', files)
  if (isGiven) return run.here()
  const written = awkWrites(textOf(options.operands[0]))
  if (written === undefined) run.anything()
  else
    run.deed(
      'all',
      written.map((file) => [file]),
    )
}

const PERL_MODULES =
  /^(strict|warnings|utf8|JSON|JSON::PP|List::Util|Data::Dumper|POSIX|feature|5\.\d+|MIME::Base64|Time::HiRes)(=.*)?$/

const perl: Special = (run) => {
  const options = run.options('e E i? I M? m? l# 0# F? C? D? x?', { stopsEarly: true })
  const code = valuesOf(options, '-e -E')
  if (surelyHas(options, '-v -c -V')) return
  if (code.length === 0 || !valuesOf(options, '-M -m').every((one) => PERL_MODULES.test(textOf(one))))
    return run.anything()
  // Options may follow the first code: `-pe … -i file`.
  const late = options.operands.some((one) => /^-\w*i/.test(textOf(one)))
  const files = options.operands.filter((one) => textOf(one) !== '')
  if (hasAny(options, '-i') || late) edited(run, files, late ? [['*']] : valuesOf(options, '-i'))
  if (!code.every((one) => perlReads(textOf(one)))) run.anything()
}

const shell: Special = (run) => {
  const options = run.options('o O --rcfile --init-file', { stopsEarly: true })
  if (surelyHas(options, '-n')) return
  const [script, , ...args] = options.operands
  if (hasAny(options, '-c')) return script ? run.host.text(textOf(script), { ...run.scope, args }) : run.anything()
  if (script !== undefined && !hasAny(options, '-s')) return run.anything()
  if (run.stdin === undefined) return run.anything()
  run.host.text(run.stdin, run.scope)
}

const python: Special = (run) => {
  const options = run.options('c! m! W X', { stopsEarly: true })
  const [code] = valuesOf(options, '-c')
  if (code) return isKnown(textOf(code)) && onlyReads(textOf(code), 'python') ? undefined : run.anything()
  const [module] = valuesOf(options, '-m')
  if (module) return pythonModule(run, textOf(module), options.operands)
  if (surelyHas(options, '-V -VV -h')) return
  const [script] = options.operands
  if (script !== undefined && textOf(script) !== '-') return run.anything()
  if (run.stdin === undefined || !onlyReads(run.stdin, 'python')) run.anything()
}

const PYTHON_MODULES: Readonly<Record<string, string>> = Object.fromEntries(
  'http.server site platform timeit this calendar tokenize ast dis inspect pydoc sysconfig locale base64 json.tool'
    .split(' ')
    .map((name) => [name, 'reads']),
)

function pythonModule(run: Run, module: string, args: readonly Arg[]): void {
  if (module === 'venv' || module === 'virtualenv')
    return run.deed(
      'deep',
      args.filter((one) => !textOf(one).startsWith('-')),
    )
  if (module === 'json.tool')
    return run.deed(
      'second',
      args.filter((one) => !textOf(one).startsWith('-')),
    )
  if (lookUp(PYTHON_MODULES, module)) return
  run.host.words([[module], ...args], run.scope)
}

const node: Special = (run) => {
  // `-pe` is both, and takes one value.
  const args = run.args.map((arg): Arg => (/^-[pe]{2}$/.test(textOf(arg)) ? ['-p'] : arg))
  const options = run
    .in(run.scope.cwd, run.name, args)
    .options('e p r --eval --print --require --import --loader --env-file', { stopsEarly: true })
  if (hasAny(options, '-r --require --import --loader --prof --cpu-prof --heap-prof')) return run.anything()
  const code = valuesOf(options, '-e -p --eval --print')
  if (code.length > 0) {
    if (!code.every((one) => isKnown(textOf(one)) && onlyReads(textOf(one), 'node'))) run.anything()
    return
  }
  if (surelyHas(options, '-v -h -c --check --v8-options')) return
  const [script] = options.operands
  if (script !== undefined && textOf(script) !== '-') return run.anything()
  if (hasAny(options, '--test --run') || run.stdin === undefined || !onlyReads(run.stdin, 'node')) run.anything()
}

/** For Ruby and PHP, only printing a constant, a sum or a text is known to change nothing. */
const prints =
  ({ takes, code, looks, checks }: { takes: string; code: string; looks: string; checks: string }): Special =>
  (run) => {
    const options = run.options(takes, { stopsEarly: true })
    const given = valuesOf(options, code)
    // Before a script, or with code, `-v` only makes it verbose.
    if (surelyHas(options, looks) && given.length + options.operands.length === 0) return
    if (surelyHas(options, checks)) return
    const plain = /^\s*(puts|p|print|echo|var_dump)[\s(]+([A-Z_:]+|[\d\s.+*/%-]+|'[^'\\]*')\)?\s*;?\s*$/
    if (given.length === 0 || !given.every((one) => plain.test(textOf(one)))) run.anything()
  }

/** Scripts that set up a shell and change no file. */
const SETS_UP =
  /(^|\/)(activate|\.bashrc|\.zshrc|\.profile|\.bash_profile|\.zprofile|nvm\.sh|\.env(\.\w+)?|sdkman-init\.sh|env)$/

/** Those of them that set only their own variables. */
const SETS_OWN = /(^|\/)(activate|nvm\.sh|sdkman-init\.sh)$/

const source: Special = (run) => {
  const script = textOf(run.args[0])
  if (!SETS_UP.test(script)) run.anything()
  if (SETS_OWN.test(script)) return
  for (const name of run.scope.vars.keys()) run.scope.vars.set(name, [ANY])
}

/** A tag with a value is written to the file. */
const exiftool: Special = (run) => {
  if (
    run.args.some((arg) =>
      /^-[\w:*-]+[+<^-]?=|^-(overwrite_original|tagsFromFile|o$|delete_original)/i.test(textOf(arg)),
    )
  )
    run.here()
}

const watch: Special = (run) => {
  const { operands } = run.options('n', { stopsEarly: true })
  run.host.text(operands.map(textOf).join(' '), run.scope)
}

export const SPECIAL: ReadonlyMap<string, Special> = new Map<string, Special>([
  ['git', runGit],
  ['g', runGit],
  ['hub', runGit],
  ['cp', copies],
  ['ln', copies],
  ['install', copies],
  ['ditto', copies],
  ['sed', sed],
  ['gsed', sed],
  ['awk', awk],
  ['gawk', awk],
  ['mawk', awk],
  ['nawk', awk],
  ['perl', perl],
  ['ruby', prints({ takes: 'e r I C E? x? 0# i? F?', code: '-e', looks: '-v', checks: '-c' })],
  ['php', prints({ takes: 'd r c f z', code: '-r', looks: '-v -i -m --ini', checks: '-l' })],
  ['bash', shell],
  ['sh', shell],
  ['zsh', shell],
  ['dash', shell],
  ['ksh', shell],
  ['ash', shell],
  ['fish', (run) => run.anything()],
  ['python', python],
  ['python3', python],
  ['python2', python],
  ['py', python],
  ['node', node],
  ['nodejs', node],
  ['source', source],
  ['.', source],
  ...TRANSFER,
  ['watch', watch],
  ['exiftool', exiftool],
  ...FOR_EACH,
])
