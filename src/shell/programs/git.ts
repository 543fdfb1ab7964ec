import { lookUp } from '../../base/look-up.ts'
import { type Arg, hasAny, type Options, readOptions, surelyHas, takesOf, textOf, valuesOf } from '../options.ts'
import { absolute } from '../paths.ts'
import { Run } from '../run.ts'
import { GIT, GIT_TAKES } from '../tables/git-rows.ts'

/** Interprets git. Most sub-commands are rows; this handles what depends on more than flags. */
export function runGit(run: Run): void {
  const own = readOptions(run.args, takesOf(GIT_TAKES), { stopsEarly: true })
  if (hasAny(own, '--help --version')) return
  const [sub, ...args] = own.operands
  if (sub === undefined) return
  for (const setting of valuesOf(own, '-c').flat()) setFor(run, setting)
  const name = textOf(sub)
  const from = leads(run.scope.cwd, valuesOf(own, '-C'))
  const cwd = leads(from, valuesOf(own, '--work-tree').slice(-1))
  // The folder is given explicitly; other folders among its words are repositories that it reads.
  const inside = new Run(run.host, { ...run.scope, cwd }, `git ${name}`, args, run.stdin, [])
  if (hasAny(own, '--git-dir --work-tree')) inside.repository = leads(from, valuesOf(own, '--git-dir').slice(-1))
  const special = lookUp(SPECIAL, name)
  const row = GIT.get(name)
  if (special) special(inside)
  else if (row) inside.row(row)
  // An alias may stand for anything.
  else inside.deed('here', [])
}

/** A setting for this run may be a command that git runs. */
function setFor(run: Run, setting: string): void {
  const [, name = '', value = ''] = /^([^=]*)=?([^]*)$/.exec(setting) ?? []
  if (RUNS_COMMAND.test(name)) run.host.text(value.replace(/^!/, ''), run.scope)
}

const RUNS_COMMAND =
  /^(core\.(pager|fsmonitor|sshcommand)|pager\..*|diff\.external|diff\..*\.(command|textconv)|interactive\.difffilter)$/i

/** The folders after following options such as `-C`, one after the other. */
const leads = (from: readonly string[], steps: readonly Arg[]): readonly string[] =>
  steps.reduce((cwd, step) => step.flatMap((path) => cwd.map((at) => absolute(path, at))), from)

/** Whether a new branch starts at HEAD, and no change since is discarded. */
const stays = (options: Options): boolean =>
  options.operands.length === 0 && !hasAny(options, '-f --force --discard-changes -m --merge')

const SPECIAL: Readonly<Record<string, (run: Run) => void>> = {
  checkout: (run) => {
    const options = run.options('b B --orphan --conflict')
    if (hasAny(options, '-B')) run.deed('refs', [])
    if (surelyHas(options, '-b -B --orphan')) return run.deed(stays(options) ? 'git' : 'here', [])
    const paths = pathsOf(options)
    run.deed(paths.length > 0 ? 'paths' : 'here', paths)
  },
  switch: (run) => {
    const options = run.options('c C --create --force-create --orphan')
    if (hasAny(options, '-C --force-create')) run.deed('refs', [])
    run.deed(surelyHas(options, '-c --create') && stays(options) ? 'git' : 'here', [])
  },
  reset: (run) => {
    const options = run.options('--pathspec-from-file')
    if (hasAny(options, '--hard --merge --keep')) return run.deed(['here', 'refs'], [])
    run.deed(pathsOf(options).length > 0 ? 'git' : 'refs', [])
  },
  push: (run) => {
    const options = run.options('o --push-option --repo --receive-pack')
    if (surelyHas(options, '-n --dry-run')) return
    const forced = hasAny(options, '-f --force --force-with-lease --force-if-includes -d --delete --mirror --prune')
    const refs = options.operands.slice(1).some((ref) => /^[+:]/.test(textOf(ref)))
    run.deed(forced || refs ? 'refs' : 'git', [])
  },
  config: (run) => {
    const options = run.options('f --file --type --default --blob')
    const [first] = options.operands
    if (surelyHas(options, '--global --system -l --list --get --get-all --get-regexp --get-urlmatch')) return
    const changes = hasAny(
      options,
      '--unset --unset-all --add --replace-all --rename-section --remove-section -e --edit',
    )
    const sub = textOf(first)
    if (sub === 'get' || sub === 'list') return
    if (!changes && options.operands.length < 2) return
    const files = valuesOf(options, '-f --file')
    if (files.length > 0) run.deed('all', files)
    else run.deed('git', [])
  },
  grep: (run) => {
    const options = run.options('e f A B C m O? --open-files-in-pager? --threads --max-count --max-depth')
    for (const pager of valuesOf(options, '-O --open-files-in-pager').flat()) run.host.text(pager, run.scope)
  },
  'symbolic-ref': (run) => {
    const options = run.options('m')
    if (options.operands.length > 1 || hasAny(options, '-d --delete')) run.deed('refs', [])
  },
  clone: (run) => {
    const options = run.options(
      'b o c j u --branch --depth --origin --config --reference --filter --jobs --template --shallow-since --shallow-exclude --separate-git-dir --upload-pack --server-option --bundle-uri --revision',
    )
    run.deed('deep', valuesOf(options, '--separate-git-dir'))
    const [url, folder] = options.operands
    const name = /([^/:]+?)(?:\/?\.git)?\/?$/.exec(textOf(url))?.[1]
    const suffix = hasAny(options, '--bare --mirror') ? '.git' : ''
    run.deed('deep', [folder ?? [name ? name + suffix : '.']])
  },
  init: (run) => {
    const { operands } = run.options('b --initial-branch --template --separate-git-dir')
    const [folder] = operands
    if (folder === undefined || textOf(folder) === '.') run.deed('git', [])
    else run.deed('deep', [folder])
  },
}

/**
 * The operands that are paths, not revisions: those after `--`, or, of several, all that are certainly not a revision.
 * A single one may be either.
 */
function pathsOf({ operands, split }: Options): readonly Arg[] {
  if (split !== undefined) return operands.slice(split)
  if (operands.length < 2) return operands.filter((one) => /^\.{1,2}(\/|$)/.test(textOf(one)))
  return operands.filter((one) => !/^(\w+_)?(HEAD|@)([~^@{].*)?$/.test(textOf(one)))
}
