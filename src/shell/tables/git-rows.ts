import { table } from '../rows.ts'

/** Git's own options, before the sub-command. */
export const GIT_TAKES = 'C c --git-dir --work-tree --namespace --config-env'

/** What each sub-command does. Those that need more than a row are in `programs/git.ts`. */
export const GIT = table([
  [
    `status shortlog describe blame annotate ls-files ls-tree ls-remote rev-list rev-parse merge-base merge-tree cat-file
     check-ignore check-attr check-ref-format check-mailmap count-objects for-each-ref for-each-repo cherry name-rev
     verify-commit verify-tag verify-pack var version help show-ref show-branch show-index
     patch-id stripspace column request-pull send-email credential get-tar-commit-id fmt-merge-msg`,
    'reads',
  ],
  ['log show diff diff-tree diff-index diff-files whatchanged range-diff', { does: 'reads', out: '--output' }],
  ['fast-export', { does: 'reads', out: '--export-marks' }],
  ['fsck', { does: 'reads', when: [['--lost-found', 'git']] }],
  ['add stage', { does: 'git', when: [['-n --dry-run', 'reads']] }],
  [
    'commit',
    {
      does: 'git',
      takes: 'm F C c t --message --file --author --date --fixup --squash',
      when: [
        ['--dry-run', 'reads'],
        ['--amend', 'refs'],
      ],
    },
  ],
  [
    'fetch',
    {
      does: 'git',
      when: [
        ['--dry-run', 'reads'],
        ['-p --prune -P --prune-tags -f --force', 'refs'],
      ],
    },
  ],
  [
    'branch',
    {
      does: 'git',
      takes: 'u --set-upstream-to --sort --format --points-at',
      bare: 'reads',
      when: [
        ['-d -D --delete -f --force -m -M --move -C', 'refs'],
        ['-c --copy -u --set-upstream-to --unset-upstream --edit-description', 'git'],
        [
          '-l --list -a --all -r --remotes -v -vv --show-current --contains --no-contains --merged --no-merged --points-at',
          'reads',
        ],
      ],
    },
  ],
  [
    'tag',
    {
      does: 'git',
      takes: 'm F u --message --file --local-user --sort --format',
      bare: 'reads',
      when: [
        ['-d --delete -f --force', 'refs'],
        ['-l --list -n -v --verify --contains --no-contains --merged --no-merged --points-at', 'reads'],
      ],
    },
  ],
  [
    'remote',
    {
      does: 'git',
      bare: 'reads',
      subs: table([
        ['show get-url', 'reads'],
        ['rename remove rm prune', 'refs'],
        ['update', { does: 'git', when: [['-p --prune', 'refs']] }],
      ]),
    },
  ],
  [
    'stash',
    {
      does: ['here', 'git'],
      subs: table([
        ['list show', 'reads'],
        ['drop clear', 'refs'],
        ['create store', 'git'],
        ['pop', ['here', 'refs']],
      ]),
    },
  ],
  [
    'rebase',
    {
      does: ['here', 'refs'],
      when: [
        ['--show-current-patch', 'reads'],
        ['--quit --edit-todo', 'git'],
      ],
    },
  ],
  ['merge', { does: 'here', when: [['--quit', 'git']] }],
  [
    'pull',
    {
      does: 'here',
      when: [
        ['--dry-run', 'reads'],
        ['-r --rebase -f --force -p --prune', ['here', 'refs']],
      ],
    },
  ],
  [
    'cherry-pick revert am',
    {
      does: 'here',
      when: [
        ['--show-current-patch', 'reads'],
        ['--quit', 'git'],
      ],
    },
  ],
  [
    'apply',
    {
      does: 'here',
      takes: 'p C',
      when: [
        ['--apply', 'here'],
        ['--check --stat --numstat --summary', 'reads'],
        ['--cached', 'git'],
      ],
    },
  ],
  ['mv', { does: 'paths', when: [['-n --dry-run', 'reads']] }],
  [
    'rm',
    {
      does: 'paths',
      when: [
        ['-n --dry-run', 'reads'],
        ['--cached', 'git'],
      ],
    },
  ],
  ['clean', { does: 'paths', takes: 'e --exclude', when: [['-n --dry-run', 'reads']] }],
  [
    'restore',
    {
      does: 'paths',
      takes: 's --source',
      when: [
        ['-W --worktree', 'paths'],
        ['-S --staged', 'git'],
      ],
    },
  ],
  [
    'submodule',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        ['status summary', 'reads'],
        ['init sync', 'git'],
        ['foreach', 'runs-below'],
      ]),
    },
  ],
  ['bisect', { does: 'here', subs: table([['log view visualize terms', 'reads']]) }],
  [
    'format-patch',
    {
      does: 'here',
      takes: 'o --output-directory',
      out: '-o --output-directory',
      when: [
        ['--stdout', 'reads'],
        ['-o --output-directory', 'reads'],
      ],
    },
  ],
  ['archive', { does: 'reads', takes: 'o --output --format --prefix', out: '-o --output' }],
  [
    'bundle',
    {
      does: 'here',
      subs: table([
        ['verify list-heads', 'reads'],
        ['create', { does: 'first', dash: true, takes: '--version' }],
        ['unbundle', 'git'],
      ]),
    },
  ],
  [
    'notes',
    {
      does: 'git',
      bare: 'reads',
      subs: table([
        ['list show get-ref', 'reads'],
        ['remove prune', 'refs'],
      ]),
    },
  ],
  ['reflog', { does: 'reads', subs: table([['expire delete drop', 'refs']]) }],
  ['gc', { does: 'git', when: [['--prune', 'refs']] }],
  ['prune update-ref fast-import replace', 'refs'],
  [
    'repack pack-refs maintenance commit-graph multi-pack-index write-tree commit-tree mktree mktag update-index prune-packed update-server-info fsmonitor--daemon unpack-objects index-pack',
    'git',
  ],
  ['rerere', { does: 'git', bare: 'here', subs: table([['status remaining diff', 'reads']]) }],
  ['filter-branch filter-repo', ['here', 'refs']],
  ['hash-object', { does: 'reads', when: [['-w', 'git']] }],
  [
    'read-tree',
    {
      does: 'git',
      when: [
        ['-u', 'here'],
        ['--reset', 'git'],
      ],
    },
  ],
  ['interpret-trailers', { does: 'reads', when: [['--in-place', 'all']] }],
  ['merge-file', 'first'],
  ['sparse-checkout', { does: 'here', subs: table([['list', 'reads']]) }],
  [
    'lfs',
    {
      does: 'here',
      subs: table([
        ['ls-files env status version locks logs', 'reads'],
        ['fetch push install prune lock unlock', 'git'],
      ]),
    },
  ],
  [
    'worktree',
    {
      does: 'git',
      subs: table([
        ['list', 'reads'],
        ['add', { does: ['git', 'first'], takes: 'b B' }],
        ['remove move', ['git', 'all']],
      ]),
    },
  ],
])
