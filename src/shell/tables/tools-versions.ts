import { type Deed, type Row, table } from '../rows.ts'

/**
 * What manages versions of languages and tools. It installs in the user's home, but writes down in a folder which
 * version to use there, and runs programs in that version.
 */
export const VERSIONS: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'pyenv rbenv nodenv goenv jenv',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          `versions version version-name version-file version-origin which whence root prefix commands help shims rehash
          init install uninstall global shell hooks completions update doctor latest virtualenvs virtualenv activate
          deactivate`,
          'reads',
        ],
        ['local', { does: 'here', bare: 'reads' }],
        ['exec', 'runs'],
      ]),
    },
  ],
  [
    'nvm',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          `ls list ls-remote list-remote current which version version-remote deactivate alias unalias uninstall cache
          unload help install-latest-npm reinstall-packages set-colors debug`,
          'reads',
        ],
        ['use install', { does: 'reads', when: [['-w --save', 'here']] }],
      ]),
    },
  ],
  [
    'fnm',
    {
      does: 'here',
      subs: table([
        [
          'list ls list-remote ls-remote current use install i uninstall default alias unalias env completions help',
          'reads',
        ],
      ]),
    },
  ],
  [
    'volta',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        ['list ls which install uninstall fetch setup completions help', 'reads'],
        ['run', 'runs'],
      ]),
    },
  ],
  [
    'asdf',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          `list current where which what latest plugin plugin-list plugin-add plugin-update install uninstall update info
          reshim shimversions version help global shell completion cmd-help`,
          'reads',
        ],
        ['exec', 'runs'],
      ]),
    },
  ],
  [
    'mise rtx',
    {
      does: 'here',
      takes: 'C --cd',
      subs: table([
        [
          'ls list ls-remote current which where doctor dr registry latest outdated version search help completion reshim',
          'reads',
        ],
        ['settings cache plugins plugin', { does: 'reads', when: [['-l --local', 'here']] }],
        ['tasks', { does: 'here', bare: 'reads', subs: table([['ls deps info', 'reads']]) }],
      ]),
    },
  ],
  [
    'sdk',
    {
      does: 'here',
      subs: table([
        [
          'list ls current c use u version v home h default d install i uninstall rm update selfupdate flush help',
          'reads',
        ],
      ]),
    },
  ],
  [
    'rustup',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          `show update upgrade check default toolchain target component install uninstall which doc man self set override
          completions help`,
          'reads',
        ],
        ['run', 'runs-rest'],
      ]),
    },
  ],
  [
    // What it does not know itself is a package manager that it runs: `corepack pnpm install`.
    'corepack',
    {
      does: 'runs',
      subs: table([
        ['enable disable cache', { does: 'reads', when: [['--install-directory', 'here']] }],
        ['prepare install', { does: 'reads', when: [['-o --output', 'here']] }],
        ['use up pack hydrate', 'here'],
      ]),
    },
  ],
  [
    'direnv',
    {
      does: 'anything',
      subs: table([['status version hook stdlib help', 'reads']]),
    },
  ],
]
