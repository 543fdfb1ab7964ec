import { type Rows, table } from '../rows.ts'

/**
 * Docker commands that only read or talk to its daemon. Anything not listed may change anything: containers mount
 * folders.
 */
export const CONTAINERS: Rows = [
  [
    'docker podman',
    {
      does: 'anything',
      bare: 'reads',
      takes: 'H --host --context --config -l --log-level',
      subs: table([
        [
          `ps images logs inspect version info stats top port diff history search events pull push tag rmi rm stop kill
          pause unpause wait login logout help`,
          'reads',
        ],
        [
          'image container network volume system',
          {
            does: 'anything',
            subs: table([['ls list ps inspect history logs stats top port diff df info events', 'reads']]),
          },
        ],
        [
          'compose',
          {
            does: 'anything',
            takes: 'f p --file --project-name --profile --env-file --project-directory --ansi --progress',
            subs: table([['ps logs ls images top port version events stats', 'reads']]),
          },
        ],
      ]),
    },
  ],
]
