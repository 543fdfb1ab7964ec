import { posix } from 'node:path'
import { lookUp } from '../../base/look-up.ts'
import { type Arg, hasAny, surelyHas, textOf, valuesOf } from '../options.ts'
import { ATOM, isKnown } from '../paths.ts'
import type { Run } from '../run.ts'

/** Programs that pack, download and copy, where a row is not enough. */
type Special = (run: Run) => void

const tar: Special = (run) => {
  const [first, ...rest] = run.args
  const isOld = /^[A-Za-z]+$/.test(textOf(first))
  const dashed = run.in(run.scope.cwd, run.name, isOld ? oldStyle(textOf(first), rest) : run.args)
  const options = dashed.options(
    'f C T X b I g --file --directory --exclude --files-from --transform --strip-components --exclude-from --listed-incremental --index-file --checkpoint-action --to-command',
  )
  // Each of these is a command that it runs.
  if (hasAny(options, '--to-command --info-script --new-volume-script')) run.anything()
  if (valuesOf(options, '--checkpoint-action').some((one) => !/^(dot|echo|ttyout|bell|sleep|totals)/.test(textOf(one))))
    run.anything()
  run.deed('all', valuesOf(options, '-g --listed-incremental --index-file'))
  const folder = valuesOf(options, '-C --directory').at(-1)
  const file = valuesOf(options, '-f --file').filter((one) => textOf(one) !== '-')
  if (hasAny(options, '-x --extract --get')) {
    if (surelyHas(options, '-O --to-stdout')) return
    return folder ? run.touch(folder, 'write', true) : run.inside()
  }
  if (hasAny(options, '-c -r -u -A --create --append --update --concatenate --delete')) run.deed('all', file)
  if (hasAny(options, '--remove-files')) run.deed('removes', options.operands, true)
}

/** `xzf a.tgz` is `-x -z -f a.tgz`. */
function oldStyle(letters: string, rest: readonly Arg[]): Arg[] {
  const values = [...rest]
  const dashed = letters.split('').flatMap((letter): Arg[] => {
    const value = 'fCTXbIg'.includes(letter) ? values.shift() : undefined
    return [[`-${letter}`], ...(value ? [value] : [])]
  })
  return [...dashed, ...values]
}

const unzip: Special = (run) => {
  const options = run.options('d x P')
  if (surelyHas(options, '-l -t -p -v -Z -z')) return
  const [folder] = valuesOf(options, '-d')
  if (folder) run.touch(folder, 'write', true)
  else run.inside()
}

const PACKED: Readonly<Record<string, string>> = {
  gzip: '.gz',
  gunzip: '.gz',
  pigz: '.gz',
  bzip2: '.bz2',
  bunzip2: '.bz2',
  xz: '.xz',
  unxz: '.xz',
  zstd: '.zst',
  unzstd: '.zst',
  lz4: '.lz4',
  brotli: '.br',
  compress: '.Z',
}

/** File names with an extension that stands for an archive. */
const ARCHIVE = /\.t(gz|az|bz2?|xz|zst|lz4)$/

const packs: Special = (run) => {
  const options = run.options(`S T o b --suffix --threads --output ${run.name === 'brotli' ? 'q w' : ''}`)
  if (surelyHas(options, '-c --stdout --to-stdout -l --list -t --test')) return
  run.deed('all', valuesOf(options, '-o --output'))
  const suffix = lookUp(PACKED, run.name) ?? ''
  const deep = hasAny(options, '-r --recursive')
  const other = (path: string): string =>
    path.endsWith(suffix)
      ? path.slice(0, -suffix.length)
      : path.replace(ARCHIVE, '.tar') + (ARCHIVE.test(path) ? '' : suffix)
  for (const file of options.operands) {
    run.touch(file, 'destroy', deep)
    run.touch(file.map(other), 'write', deep)
  }
}

const dd: Special = (run) =>
  run.deed(
    'all',
    run.args.filter((arg) => textOf(arg).startsWith('of=')).map((arg) => arg.map((text) => text.slice(3))),
  )

/** The file name in an address; for a pattern, any name. */
const nameInUrl = (url: string): string =>
  isKnown(url) && !/[{}[\]]/.test(url) ? posix.basename(url.split(/[?#]/)[0] ?? '') || 'index.html' : ATOM

const curl: Special = (run) => {
  const options = run.options(
    'o D c T d H X u A e b F w m K r x U E C --output --output-dir --dump-header --cookie-jar --data --header --request --user --url --data-raw --data-binary --form --max-time --retry --connect-timeout --write-out --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl',
  )
  const files = valuesOf(
    options,
    '-o --output -D --dump-header -c --cookie-jar --trace --trace-ascii --stderr --etag-save --hsts --alt-svc --libcurl',
  )
  // `-w '%output{times.txt}…'` and `-w @format`, which may hold the same.
  if (valuesOf(options, '-w --write-out').some((one) => /%output\{|^@/.test(textOf(one)))) run.here()
  run.deed(
    'all',
    // `#1` stands for the match of a pattern in the address.
    files.filter((one) => textOf(one) !== '-').map((one) => one.map((path) => path.replace(/#\d+/g, ATOM))),
  )
  if (hasAny(options, '-K --config')) run.here()
  const folder = valuesOf(options, '--output-dir')[0] ?? ['.']
  // The server chooses the file name, if asked to.
  const isNamedThere = hasAny(options, '-J --remote-header-name')
  if (isNamedThere || hasAny(options, '-O --remote-name --remote-name-all'))
    for (const url of [...options.operands, ...valuesOf(options, '--url')])
      run.touch(
        folder.map((at) => posix.join(at, isNamedThere ? ATOM : nameInUrl(textOf(url)))),
        'write',
        false,
      )
}

const wget: Special = (run) => {
  const options = run.options(
    'O P o a i U e t T --output-document --directory-prefix --output-file --append-output --user-agent --header --tries --timeout --input-file --save-cookies --warc-file --rejected-log',
  )
  const logs = valuesOf(options, '-o -a --output-file --append-output')
  run.deed('all', [...logs, ...valuesOf(options, '--save-cookies --rejected-log')])
  if (hasAny(options, '--warc-file')) run.here()
  // In the background it writes `wget-log`, or one with a number.
  if (hasAny(options, '-b --background') && logs.length === 0) run.touch([`wget-log${ATOM}`], 'write', false)
  if (surelyHas(options, '--spider')) return
  const document = valuesOf(options, '-O --output-document')[0]
  if (document) return textOf(document) === '-' ? undefined : run.touch(document, 'write', false)
  const folder = valuesOf(options, '-P --directory-prefix')[0]
  if (folder) return run.touch(folder, 'write', true)
  if (hasAny(options, '-r -m -p -x -i --recursive --mirror --page-requisites --input-file')) return run.here()
  // An existing name gets a number, a query stays in the name, and the server may redirect.
  if (options.operands.length > 0) run.touch([ATOM], 'write', false)
}

/** An unknown host counts as remote as well: `$SERVER:/srv`. */
const isRemote = (arg: Arg): boolean => /^[\w.@\uE001\uE002-]+:|^rsync:\/\//.test(textOf(arg))

const RSYNC_TAKES =
  'e f B T M @ --rsh --exclude --include --exclude-from --include-from --files-from --filter --log-file --partial-dir --temp-dir --backup-dir --bwlimit --chmod --port --compare-dest --link-dest --max-size --min-size --timeout'

const SCP_TAKES = 'c D F i J l o P S X'

const transfers: Special = (run) => {
  const options = run.options(run.name === 'rsync' ? RSYNC_TAKES : SCP_TAKES)
  if (run.name === 'rsync' && surelyHas(options, '-n --dry-run --list-only')) return
  run.deed('all', valuesOf(options, '--log-file --backup-dir'))
  const target = options.operands.at(-1)
  if (target && !isRemote(target))
    run.touch(target, run.name === 'rsync' && hasAny(options, '--delete --delete-after') ? 'destroy' : 'write', true)
  if (hasAny(options, '--remove-source-files')) run.deed('removes', options.operands.slice(0, -1), true)
}

/** The command runs on another machine. */
const ssh: Special = (run) => {
  const options = run.options('p i l o F J L R D W b c e E m S w', { stopsEarly: true })
  const { operands } = options
  run.deed('all', valuesOf(options, '-E'))
  if (/(^|@)(localhost|127\.0\.0\.1|::1)$/.test(textOf(operands[0])) && operands.length > 1) run.anything()
}

const mktemp: Special = (run) => {
  const options = run.options('p t --tmpdir --suffix')
  if (surelyHas(options, '-t -u --dry-run')) return
  const folder = valuesOf(options, '-p --tmpdir')[0]
  if (folder)
    return run.touch(
      folder.map((at) => `${at}/${ATOM}`),
      'write',
      true,
    )
  run.deed(
    'deep',
    options.operands.map((one) => one.map((text) => text.replace(/X{3,}/g, ATOM))),
  )
}

const patch: Special = (run) => {
  const options = run.options('p i d o r F D --input --directory --output --strip')
  if (surelyHas(options, '--dry-run')) return
  run.deed('all', valuesOf(options, '-o -r --output'))
  const [file] = options.operands
  if (file)
    return run.deed(
      'all',
      ['', '.orig', '.rej'].map((suffix) => file.map((path) => path + suffix)),
    )
  const folder = valuesOf(options, '-d --directory')[0]
  if (folder) run.touch(folder, 'write', true)
  else run.inside()
}

const split: Special = (run) => {
  const { operands } = run.options('b l n a C t --bytes --lines --number --suffix-length')
  run.touch(
    (operands[1] ?? ['x']).map((prefix) => prefix + ATOM),
    'write',
    false,
  )
}

const csplit: Special = (run) => {
  const options = run.options('f n b --prefix --digits --suffix-format')
  run.touch(
    (valuesOf(options, '-f --prefix')[0] ?? ['xx']).map((prefix) => prefix + ATOM),
    'write',
    false,
  )
}

const sshKeygen: Special = (run) => {
  const options = run.options('t b f N C P m E')
  if (surelyHas(options, '-l -y -F -B')) return
  for (const file of valuesOf(options, '-f')) run.deed('all', [file, file.map((path) => `${path}.pub`)])
}

export const TRANSFER: readonly (readonly [name: string, run: Special])[] = [
  ['tar', tar],
  ['gtar', tar],
  ['bsdtar', tar],
  ['unzip', unzip],
  ...Object.keys(PACKED).map((name) => [name, packs] as const),
  ['dd', dd],
  ['curl', curl],
  ['wget', wget],
  ['scp', transfers],
  ['rsync', transfers],
  ['mktemp', mktemp],
  ['patch', patch],
  ['split', split],
  ['csplit', csplit],
  ['ssh-keygen', sshKeygen],
  ['ssh', ssh],
  ['mosh', ssh],
  ['sftp', (run) => run.here()],
]
