import { type Deed, type Row, table } from '../rows.ts'

/** Containers, clusters and infrastructure. What only speaks to a server or to the daemon changes no file here. */

const BUILD: Row = {
  does: 'reads',
  takes:
    't f o --tag --file --output --iidfile --metadata-file --cache-to --cache-from --build-arg --target --platform',
  out: '--iidfile --metadata-file',
  when: [
    ['-o=- --output=-', 'reads'],
    ['-o --output', 'here'],
    ['--cache-to=type=inline --cache-to=type=gha', 'reads'],
    ['--cache-to', 'here'],
  ],
}

const CONTAINER_RUN: Row = {
  does: 'reads',
  takes: `e p w u h l v m --name --network --env --env-file --entrypoint --platform --volume --mount --user --workdir
    --publish --hostname --label --memory --cpus --restart --add-host --gpus --cidfile`,
  out: '--cidfile',
  mounts: '-v --volume --mount',
  when: [['--volumes-from', 'here']],
}

const SAVE: Row = { does: 'reads', takes: 'o --output', out: '-o --output' }

const COMPOSE: Row = {
  does: 'here',
  takes: 'f p --file --project-name --profile --env-file --project-directory --ansi --progress',
  subs: table([
    [
      'ps logs ls images top port version events pull push stop kill pause unpause wait stats rm volumes build down help',
      'reads',
    ],
    ['config convert', { does: 'reads', takes: 'o --output', out: '-o --output' }],
  ]),
}

export const CONTAINERS: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'docker podman nerdctl',
    {
      does: 'here',
      takes: 'H --host --context --config -l --log-level',
      subs: table([
        [
          `ps images logs inspect version info stats top port diff history search events pull push tag rmi rm stop kill
          pause unpause wait login logout rename update load import commit attach help swarm node secret config plugin`,
          'reads',
        ],
        ['build', BUILD],
        ['run create', CONTAINER_RUN],
        ['network volume system builder', 'reads'],
        ['context', { does: 'reads', subs: table([['export', 'here']]) }],
        ['manifest', 'reads'],
        [
          'image',
          {
            does: 'here',
            subs: table([
              ['ls list inspect history pull push tag rm prune load import', 'reads'],
              ['build', BUILD],
              ['save', SAVE],
            ]),
          },
        ],
        [
          'container',
          {
            does: 'here',
            subs: table([
              [
                `ls list ps inspect logs stats top port diff stop kill pause unpause wait rm rename update prune commit
                attach`,
                'reads',
              ],
              ['run create', CONTAINER_RUN],
              ['cp', { does: 'fetches', dash: true }],
              ['export', SAVE],
            ]),
          },
        ],
        ['stack service', { does: 'here', subs: table([['ls ps inspect logs rm scale rollback services', 'reads']]) }],
        [
          'buildx',
          {
            does: 'here',
            subs: table([
              ['ls inspect version du create use rm prune stop imagetools', 'reads'],
              ['build', BUILD],
            ]),
          },
        ],
        ['cp', { does: 'fetches', dash: true }],
        ['save export', SAVE],
        ['compose', COMPOSE],
      ]),
    },
  ],
  ['docker-compose podman-compose', COMPOSE],
  [
    'kubectl oc',
    {
      // What is not listed is a plugin.
      does: 'here',
      bare: 'reads',
      takes: `n s v l --namespace --selector --context --cluster --user --kubeconfig --server --token --as --as-group
        --request-timeout --cache-dir --profile-output`,
      subs: table([
        [
          `get describe logs apply delete create edit explain top exec rsh port-forward proxy attach run expose scale
          rollout set label annotate patch replace autoscale wait api-resources api-versions auth version cordon uncordon
          drain taint diff debug events certificate completion options help plugin ctx ns status whoami project projects
          login logout new-app new-project new-build start-build cancel-build process policy tag import-image idle`,
          'reads',
        ],
        [
          'config',
          {
            does: 'reads',
            subs: table([
              [
                `use-context use set set-context set-cluster set-credentials unset rename-context delete-context
                delete-cluster delete-user`,
                { does: 'reads', takes: '--kubeconfig', out: '--kubeconfig' },
              ],
            ]),
          },
        ],
        ['cp rsync', { does: 'fetches', takes: 'c n --container --namespace --context --retries' }],
        [
          'cluster-info',
          {
            does: 'reads',
            takes: '--output-directory',
            out: '--output-directory',
          },
        ],
        ['kustomize', { does: 'reads', takes: 'o --output', out: '-o --output', when: [['--enable-exec', 'here']] }],
        ['extract', { does: 'here', when: [['--to=-', 'reads']] }],
      ]),
    },
  ],
  [
    'kustomize',
    {
      does: 'here',
      subs: table([
        ['version help completion', 'reads'],
        [
          'build',
          {
            does: 'reads',
            takes: 'o --output',
            out: '-o --output',
            when: [['--enable-exec --enable-alpha-plugins', 'here']],
          },
        ],
      ]),
    },
  ],
  [
    'helm',
    {
      does: 'here',
      bare: 'reads',
      takes: 'n --namespace --kube-context --kubeconfig',
      subs: table([
        [
          `list ls status get history hist show inspect search repo version env lint uninstall delete del un rollback test
          plugin verify completion help registry push diff`,
          'reads',
        ],
        ['install upgrade', { does: 'reads', when: [['--post-renderer', 'here']] }],
        [
          'template',
          {
            does: 'reads',
            takes: '--output-dir',
            out: '--output-dir',
            when: [['--post-renderer', 'here']],
          },
        ],
        ['dependency dep dependencies', { does: 'here', bare: 'reads', subs: table([['list ls', 'reads']]) }],
      ]),
    },
  ],
  [
    'kind',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        ['get version load completion help', 'reads'],
        ['create delete', { does: 'reads', takes: '--kubeconfig', out: '--kubeconfig' }],
      ]),
    },
  ],
  [
    'minikube',
    {
      does: 'here',
      bare: 'reads',
      takes: 'p --profile',
      when: [['--mount --mount-string', 'here']],
      subs: table([
        [
          `start stop status ip dashboard addons service ssh docker-env podman-env tunnel delete pause unpause config
          profile version update-context update-check node license options completion help`,
          'reads',
        ],
        ['logs', { does: 'reads', takes: '--file n', out: '--file' }],
        ['image', { does: 'here', subs: table([['ls list load pull push rm tag build', 'reads']]) }],
      ]),
    },
  ],
  ['stern kubetail kubeval kubeconform kube-linter kube-score k9s', 'reads'],
  [
    'terraform tofu',
    {
      does: 'here',
      takes: '-chdir',
      longOnly: true,
      subs: table([
        ['version show output validate graph login logout metadata', 'reads'],
        ['fmt', { does: 'here', when: [['-check -write=false --check', 'reads']], longOnly: true }],
        ['state', { does: 'here', subs: table([['list show pull', 'reads']]) }],
        ['workspace', { does: 'here', subs: table([['list show', 'reads']]) }],
        ['providers', { does: 'here', bare: 'reads', subs: table([['schema', 'reads']]) }],
      ]),
    },
  ],
  ['tflint', { does: 'reads', when: [['--fix --init', 'here']] }],
  ['ansible-doc', 'reads'],
  ['ansible-inventory', { does: 'reads', takes: 'i --inventory --output', out: '--output' }],
  ['ansible-playbook', { does: 'anything', when: [['--syntax-check --list-hosts --list-tasks --list-tags', 'reads']] }],
  ['ansible-vault', { does: 'here', subs: table([['view', 'reads']]) }],
  [
    'vault',
    {
      does: 'here',
      bare: 'reads',
      subs: table([
        [
          'kv read write list delete status login print path-help secrets auth policy token lease audit version',
          'reads',
        ],
      ]),
    },
  ],
]
