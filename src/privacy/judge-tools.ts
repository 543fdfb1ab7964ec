import { table } from './judge-rows.ts'
import { SERVICES } from './judge-tools-more.ts'

/** Package managers, compilers, test runners: what builds, caches or installs changes the workspace. */

const NODE_LOOKS = `ls list ll la view info show v outdated search s se find help help-search why explain whoami ping
  doctor root prefix bin docs home repo bugs fund owner dist-tag team token org profile access star stars query
  sbom login logout adduser`

export const TOOLS = table([
  [
    'npm',
    {
      does: 'here',
      bare: 'reads',
      takes: 'w C --prefix --workspace --registry --loglevel',
      when: [['-v -h', 'reads']],
      subs: table([
        [NODE_LOOKS, 'reads'],
        [
          'install i add ci isntall uninstall remove rm un r update up upgrade link ln',
          { does: 'here', when: [['-g --global --dry-run', 'reads']] },
        ],
        ['run run-script', { does: 'here', bare: 'reads' }],
        ['audit', { does: 'here', bare: 'reads' }],
        [
          'config c',
          {
            does: 'here',
            bare: 'reads',
            subs: table([
              ['get list ls', 'reads'],
              ['set delete', { does: 'reads', takes: 'L --location', when: [['-L --location', 'here']] }],
            ]),
          },
        ],
        ['cache', 'reads'],
        ['pkg', { does: 'here', subs: table([['get', 'reads']]) }],
        ['version', { does: 'here', bare: 'reads' }],
        ['pack', { does: 'here', when: [['--dry-run', 'reads']] }],
        ['publish', { does: 'here', when: [['--dry-run', 'reads']] }],
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
        [`${NODE_LOOKS} store licenses bin`, 'reads'],
        ['add install i remove update', { does: 'here', when: [['-g --global', 'reads']] }],
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
        [`${NODE_LOOKS} versions licenses`, 'reads'],
        ['global', 'reads'],
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
        ['info lint doc types completions help', 'reads'],
        ['fmt', { does: 'here', when: [['--check', 'reads']] }],
        ['lint', { does: 'reads', when: [['--fix', 'here']] }],
        ['eval', 'anything'],
      ]),
    },
  ],
  ['corepack', 'reads'],
  [
    'pip pip3',
    {
      does: 'here',
      subs: table([
        ['list show freeze check search index inspect debug help config cache', 'reads'],
        ['install', { does: 'here', when: [['--user --dry-run', 'reads']] }],
      ]),
    },
  ],
  ['pipx', { does: 'reads' }],
  [
    'uv',
    {
      does: 'here',
      subs: table([
        ['version self tree help cache tool', 'reads'],
        ['python', { does: 'here', subs: table([['list find dir install', 'reads']]) }],
        ['pip', { does: 'here', subs: table([['list show freeze check tree', 'reads']]) }],
      ]),
    },
  ],
  [
    'poetry',
    {
      does: 'here',
      subs: table([
        ['show check about help search', 'reads'],
        ['env', { does: 'here', subs: table([['info list', 'reads']]) }],
        ['config', 'reads'],
      ]),
    },
  ],
  [
    'conda mamba micromamba',
    {
      does: 'here',
      subs: table([
        ['list info search config activate deactivate', 'reads'],
        ['env', { does: 'here', subs: table([['list', 'reads']]) }],
      ]),
    },
  ],
  ['pytest py.test tox nox coverage mypy pytype behave', { does: 'here', when: [['--fixtures --markers', 'reads']] }],
  ['pyright', 'reads'],
  [
    'ruff',
    {
      does: 'here',
      subs: table([
        [
          'check',
          {
            does: 'here',
            when: [
              ['--fix --fix-only --add-noqa', 'here'],
              ['-n --no-cache', 'reads'],
            ],
          },
        ],
        [
          'format',
          {
            does: 'here',
            when: [
              ['--check --diff', 'reads'],
              ['-n --no-cache', 'paths'],
            ],
          },
        ],
        ['rule config linter version help', 'reads'],
      ]),
    },
  ],
  [
    'black isort autopep8 yapf',
    {
      does: 'paths',
      longOnly: true,
      takes: 'l t --line-length --profile --config',
      when: [['--check --diff -c --check-only', 'reads']],
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
        ['version list doc vet help tool', { does: 'reads', longOnly: true, takes: '-f -m' }],
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
  ['golangci-lint staticcheck', { does: 'reads', when: [['--fix', 'here']] }],
  [
    'make gmake bmake',
    { does: 'here', takes: 'C f j I o W l O?', when: [['-n --dry-run --just-print -q --question -v', 'reads']] },
  ],
  [
    'meson ctest bazel bazelisk buck buck2 scons xmake premake5 just task mage',
    { does: 'here', takes: 'C f B S D G', when: [['-n --dry-run -l --list --summary', 'reads']] },
  ],
  ['cmake', { does: 'here' }],
  ['ninja', { does: 'here', takes: 'C f j k l d t w', when: [['-n', 'reads']] }],
  ['gradle gradlew mvn mvnw lein', { does: 'here', longOnly: true, when: [['-v', 'reads']] }],
  ['ant sbt', 'here'],
  [
    'tsc',
    {
      does: 'here',
      longOnly: true,
      takes: 'p --project',
      when: [['--noEmit --showConfig --listFilesOnly -v -h', 'reads']],
    },
  ],
  [
    'eslint oxlint stylelint standard xo tslint',
    {
      does: 'reads',
      takes: 'o c f --output-file --config --format --ext --ignore-path --max-warnings --rule',
      out: '-o --output-file',
      when: [['--fix --cache --init --fix-type', 'here']],
    },
  ],
  [
    'prettier',
    {
      does: 'reads',
      takes: '--config --parser --ignore-path --plugin',
      when: [
        ['--cache', 'here'],
        ['--write -w', 'paths'],
      ],
    },
  ],
  [
    'biome',
    {
      does: 'here',
      subs: table([
        [
          'check lint format ci',
          {
            does: 'reads',
            takes: '--config-path --reporter',
            when: [['--write --fix --apply --apply-unsafe --unsafe', 'here']],
          },
        ],
        ['explain rage version search', 'reads'],
      ]),
    },
  ],
  [
    'knip depcheck madge dependency-cruiser depcruise npm-check-updates ncu license-checker size-limit publint attw',
    { does: 'reads', when: [['--fix -u --upgrade --image', 'here']] },
  ],
  [
    'markdownlint markdownlint-cli2 cspell textlint htmlhint jsonlint ajv commitlint',
    {
      does: 'reads',
      when: [
        ['--fix', 'here'],
        ['-i --in-place', 'here'],
      ],
    },
  ],
  ...SERVICES,
])
