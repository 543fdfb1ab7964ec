import { type Rows, table } from '../rows.ts'

/** Python's package managers, test runners and formatters. */
export const PYTHON: Rows = [
  [
    'pip pip3',
    {
      does: 'here',
      subs: table([
        [
          'list show freeze check search index inspect debug help cache',
          { does: 'reads', takes: '--log', out: '--log' },
        ],
        ['config', { does: 'reads', when: [['--site', 'here']] }],
        [
          'install',
          {
            does: 'here',
            dash: true,
            takes: 'r c i e t --report --log --target --prefix --root --index-url --requirement',
            out: '--report --log',
            when: [
              // To find out what a folder needs, pip runs its build.
              ['-e --editable -t --target --prefix --root', 'here'],
              ['--user --dry-run', 'local'],
            ],
          },
        ],
      ]),
    },
  ],
  ['pipx', { does: 'reads' }],
  [
    'uv',
    {
      does: 'here',
      subs: table([
        ['self help cache auth generate-shell-completion', 'reads'],
        [
          'version',
          {
            does: 'here',
            bare: 'reads',
            when: [
              ['--dry-run', 'reads'],
              ['--bump', 'here'],
            ],
          },
        ],
        // It writes the lock file first.
        ['tree', { does: 'here', when: [['--frozen --locked', 'reads']] }],
        ['lock sync', { does: 'here', when: [['--check --dry-run', 'reads']] }],
        ['format', { does: 'here', when: [['--check --diff', 'reads']] }],
        [
          'tool',
          {
            does: 'here',
            subs: table([
              ['list dir upgrade uninstall update-shell', 'reads'],
              ['install', 'local'],
              ['run', 'runs'],
            ]),
          },
        ],
        ['python', { does: 'here', subs: table([['list find dir install uninstall upgrade', 'reads']]) }],
        [
          'pip',
          {
            does: 'here',
            subs: table([
              ['list show freeze check tree', 'reads'],
              ['compile', { does: 'reads', takes: 'o --output-file', out: '-o --output-file', dash: true }],
            ]),
          },
        ],
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
        ['config', { does: 'reads', when: [['--local', 'here']] }],
        ['version', { does: 'here', bare: 'reads', when: [['--dry-run', 'reads']] }],
        ['self cache', 'reads'],
        ['source', { does: 'here', subs: table([['show', 'reads']]) }],
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
  ['pytest py.test tox nox coverage pytype behave', { does: 'here', when: [['--fixtures --markers', 'reads']] }],
  [
    'mypy',
    {
      does: 'here',
      takes: '--cache-dir --config-file --python-version p m c',
      when: [
        ['--html-report --xml-report --junit-xml --txt-report --any-exprs-report --install-types', 'here'],
        ['--cache-dir=/dev/null', 'reads'],
      ],
    },
  ],
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
              // Its cache records the files that need no change.
              ['--check+--no-cache --check+-n --diff+--no-cache --diff+-n', 'reads'],
              ['--check --diff', 'here'],
              ['-n --no-cache', 'paths'],
            ],
          },
        ],
        ['rule config linter version help', 'reads'],
      ]),
    },
  ],
  [
    'black isort',
    {
      does: 'paths',
      longOnly: true,
      takes: 'l t --line-length --profile --config',
      when: [['--check --diff -c --check-only', 'reads']],
    },
  ],
]
