import { type ProgramRow, table } from '../rows.ts'
import { CHECKS, TSC } from './tools-checks.ts'
import { CONTAINERS } from './tools-containers.ts'
import { PYTHON } from './tools-python.ts'

/** Package managers, compilers, test runners: building, caching or installing changes the workspace. */

const NPM_LOOKS = `ls list ll la view info show v outdated search s se find help help-search why explain whoami ping
  doctor root prefix bin docs home repo bugs fund owner dist-tag team token org profile access star stars query
  sbom login logout adduser diff deprecate unpublish completion cache`

/** A word that is not a command of pnpm or yarn is a script of the project. */
const PNPM_LOOKS = `ls list ll la view info show v outdated search why help whoami ping doctor root prefix bin docs repo
  bugs owner dist-tag team token profile access star stars login logout adduser deprecate unpublish store licenses env
  completion`

const YARN_LOOKS = 'list info why outdated bin help licenses versions owner team login logout audit'

/** A script may have the name of the formatter; with a check option it only checks. */
const PRETTIER_SCRIPT: ProgramRow = {
  does: 'here',
  when: [
    ['--write -w --cache', 'here'],
    ['--check -c --list-different -l', 'reads'],
  ],
}

export const TOOLS = table([
  [
    'npm',
    {
      does: 'here',
      bare: 'reads',
      takes: 'w C --prefix --workspace --registry --loglevel',
      when: [['-v -h', 'reads']],
      subs: table([
        [NPM_LOOKS, 'reads'],
        [
          'install i add isntall link ln',
          {
            does: 'here',
            when: [
              ['--dry-run', 'reads'],
              ['-g --global', 'local'],
            ],
          },
        ],
        ['ci uninstall remove rm un r update up upgrade', { does: 'here', when: [['-g --global --dry-run', 'reads']] }],
        ['run run-script', { does: 'here', bare: 'reads' }],
        ['audit', { does: 'here', bare: 'reads', subs: table([['signatures', 'reads']]) }],
        [
          'config c',
          {
            does: 'here',
            bare: 'reads',
            subs: table([
              ['get list ls', 'reads'],
              [
                'set delete',
                {
                  does: 'reads',
                  takes: 'L --location --userconfig',
                  out: '--userconfig',
                  when: [
                    ['-L=user -L=global --location=user --location=global', 'reads'],
                    ['-L --location', 'here'],
                  ],
                },
              ],
            ]),
          },
        ],
        ['pkg', { does: 'here', subs: table([['get', 'reads']]) }],
        ['version', { does: 'here', bare: 'reads' }],
      ]),
    },
  ],
  [
    'pnpm',
    {
      does: 'here',
      takes: 'C F --filter --dir',
      stopsEarly: true,
      when: [['-v -h', 'reads']],
      subs: table([
        [PNPM_LOOKS, 'reads'],
        ['add install i', { does: 'here', when: [['-g --global', 'local']] }],
        ['remove update', { does: 'here', when: [['-g --global', 'reads']] }],
        ['tsc', TSC],
        ['prettier', PRETTIER_SCRIPT],
        ['run', { does: 'here', bare: 'reads' }],
        ['audit', { does: 'reads', when: [['--fix', 'here']] }],
        ['config', { does: 'here', subs: table([['get list', 'reads']]) }],
      ]),
    },
  ],
  [
    'yarn',
    {
      does: 'here',
      takes: '--cwd',
      stopsEarly: true,
      when: [['-v -h', 'reads']],
      subs: table([
        [YARN_LOOKS, 'reads'],
        ['global', { does: 'reads', subs: table([['add', 'local']]) }],
        ['run', { does: 'here', bare: 'reads' }],
        ['tsc', TSC],
        ['prettier', PRETTIER_SCRIPT],
        ['workspaces', { does: 'here', subs: table([['info list', 'reads']]) }],
        ['npm', { does: 'here', subs: table([['info audit whoami login logout tag', 'reads']]) }],
        ['cache', { does: 'here', subs: table([['list dir', 'reads']]) }],
        ['config', { does: 'here', subs: table([['get list', 'reads']]) }],
      ]),
    },
  ],
  [
    'bun',
    {
      does: 'here',
      stopsEarly: true,
      when: [['-v -h', 'reads']],
      subs: table([
        ['pm', { does: 'here', subs: table([['ls bin hash cache', 'reads']]) }],
        ['outdated info why', 'reads'],
      ]),
    },
  ],
  [
    'deno',
    {
      does: 'here',
      stopsEarly: true,
      when: [['-V -h', 'reads']],
      subs: table([
        ['info types completions help', 'reads'],
        ['doc', { does: 'reads', when: [['--html --output', 'here']] }],
        ['fmt', { does: 'here', when: [['--check', 'reads']] }],
        ['lint', { does: 'reads', when: [['--fix', 'here']] }],
        ['eval', 'anything'],
      ]),
    },
  ],
  [
    'cargo',
    {
      does: 'here',
      takes: '--manifest-path --color -Z --config',
      when: [['-V -h --list', 'reads']],
      subs: table([
        [
          'tree metadata search info help version locate-project pkgid owner login logout verify-project read-manifest',
          'reads',
        ],
        ['fmt', { does: 'here', when: [['--check', 'reads']], subs: table([['--check', 'reads']]) }],
        ['install', { does: 'reads', takes: '--path --root --git --version', when: [['--path --root', 'here']] }],
        ['uninstall', 'reads'],
      ]),
    },
  ],
  [
    'go',
    {
      does: 'here',
      takes: 'C',
      subs: table([
        ['version list doc vet help', { does: 'reads', longOnly: true, takes: '-f -m' }],
        [
          'tool',
          {
            does: 'here',
            bare: 'reads',
            subs: table([
              ['nm objdump addr2line trace', 'reads'],
              ['cover', { does: 'reads', longOnly: true, takes: '-func -html -o -mode -var', out: '-o' }],
              [
                'pprof',
                {
                  does: 'here',
                  longOnly: true,
                  takes: '-output -http -list -peek',
                  out: '-output',
                  when: [['-top -text -list -peek -tree -raw -traces -http', 'reads']],
                },
              ],
            ]),
          },
        ],
        ['install', { does: 'local', longOnly: true, takes: '-tags -ldflags -C' }],
        ['fix', { does: 'here', longOnly: true, when: [['-diff', 'reads']] }],
        ['env', { does: 'reads' }],
        [
          'build',
          {
            does: 'here',
            longOnly: true,
            takes: '-o -ldflags -tags -gcflags -mod -p',
            out: '-o',
            when: [['-o', 'reads']],
          },
        ],
        [
          'mod',
          {
            does: 'here',
            subs: table([
              ['graph why verify download', 'reads'],
              ['tidy', 'go.mod'],
            ]),
          },
        ],
        ['fmt', { does: 'here', when: [['-n', 'reads']] }],
        ['clean', { does: 'here', when: [['-cache', 'reads']], longOnly: true }],
      ]),
    },
  ],
  [
    'make gmake bmake',
    { does: 'here', takes: 'C f j I o W l O?', when: [['-n --dry-run --just-print -q --question -v', 'reads']] },
  ],
  [
    'ctest buck buck2 scons xmake premake5 just task mage',
    { does: 'here', takes: 'C f B S D G', when: [['-n --dry-run -l --list --summary', 'reads']] },
  ],
  ['cmake', { does: 'here' }],
  [
    'ninja',
    {
      does: 'here',
      takes: 'C f j k l t d w',
      when: [
        ['-n', 'reads'],
        ['-t=targets -t=query -t=commands -t=deps -t=graph -t=compdb -t=list -t=rules -t=inputs', 'reads'],
      ],
    },
  ],
  ['meson', { does: 'here', subs: table([['introspect help', 'reads']]) }],
  ['bazel bazelisk', { does: 'here', subs: table([['version help info shutdown license', 'reads']]) }],
  ['gradle gradlew mvn mvnw lein', { does: 'here', longOnly: true, when: [['-v', 'reads']] }],
  ['ant sbt', 'here'],
  ...PYTHON,
  ...CHECKS,
  ...CONTAINERS,
  [
    'timewarp tw',
    {
      does: 'here',
      bare: 'reads',
      takes: 'C --home',
      subs: table([
        [
          `status log history show diff cat blame changes snapshot pin unpin label milestones show-milestone milestone
          tag-milestone delete-milestone detect-milestones stats tools help completion fsck prune gc mirror config
          workspaces daemon sessions guard hook search`,
          'reads',
        ],
      ]),
    },
  ],
])
