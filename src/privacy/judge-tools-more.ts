import { type Deed, type Row, table } from './judge-rows.ts'

/** Containers, infrastructure, other languages' tools, and Timewarp itself. */
export const SERVICES: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'docker podman nerdctl',
    {
      does: 'here',
      takes: 'H --host --context --config -l --log-level',
      subs: table([
        [
          `ps images logs inspect version info stats top port diff history search events pull push tag rmi rm stop kill
        pause wait login logout rename update`,
          'reads',
        ],
        [
          'build',
          {
            does: 'reads',
            takes: 't f --output -o --iidfile --build-arg --target --platform',
            when: [['-o --output --iidfile', 'here']],
          },
        ],
        [
          'run create',
          {
            does: 'reads',
            takes: 'e p w u h l --name --network --env --env-file --entrypoint --platform',
            when: [['-v --volume --mount --volumes-from --cidfile', 'here']],
          },
        ],
        [
          'network volume system image container builder context manifest',
          { does: 'reads', subs: table([['cp export exec run', 'here']]) },
        ],
        ['buildx', { does: 'here', subs: table([['ls inspect version du', 'reads']]) }],
        ['cp', 'fetches'],
        ['save export', { does: 'reads', takes: 'o', out: '-o --output' }],
        [
          'compose',
          {
            does: 'here',
            takes: 'f p --file --project-name --profile --env-file',
            subs: table([
              ['ps logs ls config images top port version events pull push stop kill pause build down', 'reads'],
            ]),
          },
        ],
      ]),
    },
  ],
  [
    'docker-compose',
    {
      does: 'here',
      takes: 'f p --file --project-name',
      subs: table([['ps logs ls config images top port version events pull push stop kill pause build down', 'reads']]),
    },
  ],
  [
    'terraform tofu',
    {
      does: 'here',
      subs: table([
        ['version show output validate graph providers', 'reads'],
        ['fmt', { does: 'here', when: [['-check', 'reads']], longOnly: true }],
        ['state', { does: 'here', subs: table([['list show', 'reads']]) }],
      ]),
    },
  ],
  ['helm', { does: 'reads', subs: table([['create package pull dependency dep', 'here']]) }],
  ['gem', 'reads'],
  [
    'bundle bundler',
    {
      does: 'here',
      when: [['-v', 'reads']],
      subs: table([['list show info outdated check help platform config env', 'reads']]),
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
  [
    'gh',
    {
      does: 'reads',
      subs: table([
        [
          'pr',
          {
            does: 'reads',
            subs: table([
              ['checkout co', 'here'],
              ['merge', { does: 'reads', when: [['-d --delete-branch', 'here']] }],
            ]),
          },
        ],
        [
          'repo',
          {
            does: 'reads',
            subs: table([
              ['clone create fork sync', 'here'],
              ['set-default', { does: 'git', when: [['-v --view', 'reads']] }],
            ]),
          },
        ],
        ['run release gist', { does: 'reads', subs: table([['download clone', 'here']]) }],
        ['issue', { does: 'reads', subs: table([['develop', 'here']]) }],
        ['codespace extension alias', 'reads'],
      ]),
    },
  ],
  [
    'glab',
    {
      does: 'reads',
      subs: table([
        ['mr', { does: 'reads', subs: table([['checkout', 'here']]) }],
        ['repo', { does: 'reads', subs: table([['clone', 'here']]) }],
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
        ['list', 'reads'],
        ['nuget', 'reads'],
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
      ]),
    },
  ],
  ['pre-commit lefthook husky', { does: 'here' }],
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
