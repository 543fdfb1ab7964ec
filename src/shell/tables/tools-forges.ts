import { type Deed, type Row, table } from '../rows.ts'

/** Forges. What only speaks to a server changes no file here; what is not listed may be an extension. */

/** Where to put what is fetched, or else here. */
const DOWNLOAD: Row = {
  does: 'here',
  dash: true,
  takes: 'D O n p A R --dir --output --name --pattern --archive --repo',
  out: '-D --dir -O --output',
  when: [['-D --dir -O --output', 'reads']],
}

const CLONE: Row = { does: 'into', takes: 'u g --upstream-remote-name --group' }

export const FORGES: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'gh',
    {
      does: 'here',
      bare: 'reads',
      takes: 'R --repo --hostname',
      subs: table([
        [
          `api auth browse cache completion config gpg-key help label org project ruleset search secret ssh-key status
          variable version workflow alias agent-task`,
          'reads',
        ],
        [
          'pr',
          {
            does: 'here',
            bare: 'reads',
            takes: 'R --repo',
            subs: table([
              [
                `view list ls status diff checks comment review edit ready reopen lock unlock update-branch create new
                revert`,
                'reads',
              ],
              ['merge close', { does: 'reads', takes: 'c b t R F', when: [['-d --delete-branch', 'here']] }],
            ]),
          },
        ],
        [
          'issue',
          {
            does: 'reads',
            subs: table([
              [
                'develop',
                {
                  does: 'git',
                  takes: 'b n R --base --name --repo --branch-repo',
                  when: [
                    ['-l --list', 'reads'],
                    ['-c --checkout', 'here'],
                  ],
                },
              ],
            ]),
          },
        ],
        [
          'repo',
          {
            does: 'here',
            bare: 'reads',
            subs: table([
              ['view list ls edit delete archive unarchive deploy-key autolink gitignore license', 'reads'],
              ['clone', CLONE],
              ['set-default', { does: 'git', when: [['-v --view', 'reads']] }],
              ['rename', 'git'],
              ['create new', { does: 'reads', bare: 'here', when: [['-c --clone -s --source --push', 'here']] }],
            ]),
          },
        ],
        [
          'run',
          {
            does: 'here',
            bare: 'reads',
            takes: 'R --repo',
            subs: table([
              ['list ls view watch rerun cancel delete', 'reads'],
              ['download', DOWNLOAD],
            ]),
          },
        ],
        [
          'release',
          {
            does: 'here',
            bare: 'reads',
            takes: 'R --repo',
            subs: table([
              ['list ls view create new edit delete upload delete-asset verify verify-asset', 'reads'],
              ['download', DOWNLOAD],
            ]),
          },
        ],
        [
          'gist',
          {
            does: 'here',
            bare: 'reads',
            subs: table([
              ['list ls view create new edit delete rename', 'reads'],
              ['clone', CLONE],
            ]),
          },
        ],
        [
          'codespace cs',
          {
            does: 'here',
            bare: 'reads',
            subs: table([['list ls view create delete edit stop rebuild ports logs ssh code jupyter', 'reads']]),
          },
        ],
        [
          'extension extensions ext',
          { does: 'here', bare: 'reads', subs: table([['list ls search browse install remove upgrade', 'reads']]) },
        ],
        ['attestation at', { does: 'here', bare: 'reads', subs: table([['verify trusted-root', 'reads']]) }],
      ]),
    },
  ],
  [
    'glab',
    {
      does: 'here',
      bare: 'reads',
      takes: 'R --repo',
      subs: table([
        [
          `issue incident label milestone schedule variable user snippet ssh-key token config auth alias api deploy-key
          iteration version help completion`,
          'reads',
        ],
        ['mr', { does: 'reads', subs: table([['checkout', 'here']]) }],
        [
          'ci pipeline',
          { does: 'here', subs: table([['list view status trace run retry cancel delete lint get config', 'reads']]) },
        ],
        ['release', { does: 'reads', subs: table([['download', 'here']]) }],
        [
          'repo project',
          {
            does: 'here',
            subs: table([
              ['list view search contributors members mirror delete transfer', 'reads'],
              ['clone', CLONE],
            ]),
          },
        ],
      ]),
    },
  ],
]
