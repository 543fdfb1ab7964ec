import { type Deed, type Row, table } from '../rows.ts'

/** The tools of other languages, editors, other version controls, and Timewarp itself. */
export const MORE: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'gem',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          `list search info query environment env which contents dependency outdated specification sources stale owner
          push yank signin signout help uninstall cleanup lock`,
          'reads',
        ],
        [
          'install i update',
          { does: 'local', takes: 'v i --version --install-dir', when: [['-i --install-dir', 'here']] },
        ],
      ]),
    },
  ],
  [
    'bundle bundler',
    {
      does: 'here',
      when: [['-v', 'reads']],
      subs: table([
        ['list show info outdated check help platform env version licenses', 'reads'],
        ['config', { does: 'here', bare: 'reads', subs: table([['list get', 'reads']]) }],
      ]),
    },
  ],
  [
    'composer',
    {
      does: 'here',
      subs: table([
        ['show info outdated validate why why-not diagnose search about help', 'reads'],
        ['global', 'reads'],
      ]),
    },
  ],
  ['code cursor subl idea', { does: 'here', when: [['-v --list-extensions --install-extension', 'reads']] }],
  [
    'dotnet',
    {
      does: 'here',
      subs: table([
        ['--info --list-sdks --list-runtimes help', 'reads'],
        ['list nuget', 'reads'],
        [
          'tool',
          {
            does: 'here',
            subs: table([
              ['list search', 'reads'],
              ['install uninstall update', { does: 'here', when: [['-g --global', 'reads']] }],
            ]),
          },
        ],
        ['workload new', { does: 'here', subs: table([['list search', 'reads']]) }],
        ['sdk', { does: 'here', subs: table([['check', 'reads']]) }],
      ]),
      when: [['--info --list-sdks --list-runtimes', 'reads']],
    },
  ],
  ['java', { does: 'anything', longOnly: true, when: [['-version --version', 'reads']] }],
  ['swift', { does: 'here' }],
  ['xcodebuild', { does: 'here', longOnly: true, when: [['-list -version -showsdks', 'reads']] }],
  [
    'flutter dart',
    {
      does: 'here',
      subs: table([
        ['doctor devices --version', 'reads'],
        ['analyze', 'here'],
        [
          'format',
          {
            does: 'paths',
            takes: 'o l --output --line-length',
            when: [['-o=none -o=show -o=json --output=none --output=show --output=json', 'reads']],
          },
        ],
      ]),
    },
  ],
  ['pre-commit lefthook husky', { does: 'here' }],
  [
    // What a simulator does, it does in folders of its own.
    'simctl',
    { does: 'reads', subs: table([['io diagnose spawn', 'here']]) },
  ],
  ['lerna', { does: 'here', subs: table([['ls list la ll changed diff info', 'reads']]) }],
  [
    'nix',
    {
      does: 'here',
      subs: table([
        ['search log path-info config registry doctor why-depends help', 'reads'],
        // A flake that is evaluated may get a new lock file.
        [
          'eval',
          {
            does: 'here',
            when: [
              ['--write-to', 'here'],
              ['--expr -f --file', 'reads'],
            ],
          },
        ],
      ]),
    },
  ],
  [
    'jupyter',
    {
      does: 'here',
      subs: table([['kernelspec lab notebook server', { does: 'here', subs: table([['list', 'reads']]) }]]),
    },
  ],
  [
    'hg',
    {
      does: 'here',
      takes: 'R --repository --cwd --config',
      subs: table([
        [
          `status st log history diff annotate blame id identify heads tip branches tags summary sum paths root manifest
          files locate grep parents outgoing showconfig help version`,
          'reads',
        ],
        ['cat', { does: 'reads', takes: 'o r --output --rev', out: '-o --output' }],
        ['branch bookmarks bookmark', { does: 'here', bare: 'reads' }],
      ]),
    },
  ],
  [
    'svn',
    {
      does: 'here',
      subs: table([
        [
          `status st stat log diff di info ls list blame praise annotate ann cat propget pget pg proplist plist pl
          help`,
          'reads',
        ],
      ]),
    },
  ],
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
]
