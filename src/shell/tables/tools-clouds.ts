import { type Deed, type Row, table } from '../rows.ts'

/** Clouds. What only speaks to a server changes no file here; what is not listed may be an extension. */

/** Copies between a bucket and this machine. */
const BUCKET: Row = {
  does: 'fetches',
  dash: true,
  takes: `--profile --region --endpoint-url --exclude --include --acl --storage-class --content-type --cache-control
    --content-encoding --sse --sse-kms-key-id --metadata --metadata-directive --grants --expires --page-size`,
  when: [['--dryrun', 'reads']],
}

const KEYS = table([['create', 'here']])

export const CLOUDS: readonly (readonly [names: string, row: Row | Deed])[] = [
  [
    'aws',
    {
      does: 'here',
      takes: '--profile --region --output --query --endpoint-url --color --ca-bundle',
      subs: table([
        [
          `sts ec2 logs rds sqs sns dynamodb ecs ecr route53 cloudwatch cloudtrail ssm secretsmanager sso configure
          organizations elbv2 elb acm autoscaling events stepfunctions athena glue cognito-idp ce wafv2 cloudfront
          elasticache opensearch codebuild codepipeline resourcegroupstaggingapi service-quotas help`,
          'reads',
        ],
        ['iam', { does: 'reads', takes: '--outfile', out: '--outfile' }],
        ['eks', { does: 'reads', takes: '--kubeconfig', out: '--kubeconfig' }],
        ['lambda', { does: 'reads', subs: table([['invoke', 'here']]) }],
        ['cloudformation', { does: 'reads', subs: table([['package', 'here']]) }],
        [
          's3',
          {
            does: 'here',
            subs: table([
              ['ls mb rb rm presign website', 'reads'],
              ['cp sync', BUCKET],
              ['mv', { ...BUCKET, does: 'moves' }],
            ]),
          },
        ],
        [
          's3api',
          {
            does: 'here',
            subs: table([
              [
                `list-buckets list-objects list-objects-v2 list-object-versions head-object head-bucket put-object
                create-bucket delete-object delete-bucket get-bucket-policy get-bucket-location get-bucket-versioning`,
                'reads',
              ],
            ]),
          },
        ],
      ]),
    },
  ],
  [
    'gcloud',
    {
      does: 'here',
      takes: '--project --account --configuration --format --verbosity --region --zone',
      subs: table([
        [
          `auth config projects info version components container services organizations pubsub billing
          logging monitoring functions help`,
          'reads',
        ],
        [
          'compute',
          {
            does: 'reads',
            takes: '--destination',
            out: '--destination',
            subs: table([['scp copy-files', 'here']]),
          },
        ],
        ['sql', { does: 'reads', subs: table([['ssl', 'here']]) }],
        ['artifacts', { does: 'here', subs: table([['repositories docker packages versions tags', 'reads']]) }],
        ['run', { does: 'reads', subs: table([['deploy', 'here']]) }],
        [
          'iam',
          {
            does: 'reads',
            takes: '--output-file',
            out: '--output-file',
            subs: table([
              ['service-accounts', { does: 'reads', subs: table([['keys', { does: 'reads', subs: KEYS }]]) }],
            ]),
          },
        ],
        ['secrets', { does: 'reads', takes: '--out-file', out: '--out-file' }],
        [
          'storage',
          {
            does: 'here',
            subs: table([
              ['ls cat du rm hash buckets objects', 'reads'],
              ['cp rsync', BUCKET],
              ['mv', { ...BUCKET, does: 'moves' }],
            ]),
          },
        ],
      ]),
    },
  ],
  [
    'gsutil',
    {
      does: 'here',
      takes: 'o h',
      subs: table([
        ['ls cat stat du rm mb rb acl defacl iam lifecycle hash version help cors label signurl', 'reads'],
        ['cp rsync', { does: 'fetches', dash: true, takes: 'a j s z x c' }],
        ['mv', { does: 'moves', takes: 'a j s z' }],
      ]),
    },
  ],
  [
    'az',
    {
      does: 'here',
      subs: table([
        ['login logout account group version vm network monitor role ad resource deployment provider find', 'reads'],
        ['aks acr', { does: 'reads', takes: 'f --file', out: '-f --file' }],
      ]),
    },
  ],
  [
    'heroku',
    {
      does: 'here',
      takes: 'a r --app --remote',
      subs: table([
        [
          `config config:get config:set config:unset logs ps ps:scale ps:restart restart apps apps:info releases
          releases:info rollback status auth:login auth:logout auth:whoami login logout whoami run pg pg:info pg:psql
          pg:ps pg:credentials pg:backups pg:diagnose addons info domains certs maintenance maintenance:on maintenance:off
          open version regions access pipelines pipelines:info redis:info`,
          'reads',
        ],
      ]),
    },
  ],
  [
    'fly flyctl',
    {
      does: 'here',
      takes: 'a c --app --config',
      subs: table([
        [
          `status logs apps auth machine machines m secrets scale ips certs volumes vol regions releases info version
          doctor platform dashboard open postgres pg proxy checks ping tokens orgs help`,
          'reads',
        ],
        ['config', { does: 'here', subs: table([['show display validate env', 'reads']]) }],
        ['ssh', { does: 'here', subs: table([['console', 'reads']]) }],
      ]),
    },
  ],
  [
    'doctl',
    {
      does: 'here',
      takes: 't c --access-token --context --config --output o',
      subs: table([
        [
          'auth account balance compute kubernetes k8s databases db apps registry projects vpcs invoice monitoring version',
          'reads',
        ],
      ]),
    },
  ],
  [
    'stripe',
    {
      does: 'here',
      subs: table([
        [
          `listen login logout logs trigger get post delete status version config events customers products prices charges
          invoices subscriptions payment_intents balance open help`,
          'reads',
        ],
      ]),
    },
  ],
  [
    'vercel vc',
    {
      does: 'here',
      takes: 't S --token --scope --cwd',
      subs: table([
        [
          `ls list inspect logs whoami login logout domains dns certs alias teams switch rollback promote redeploy remove
          rm projects project help`,
          'reads',
        ],
        ['env', { does: 'here', subs: table([['ls list add rm', 'reads']]) }],
      ]),
    },
  ],
  [
    'ngrok',
    {
      does: 'here',
      when: [
        ['--log=stdout --log=stderr --log=false', 'reads'],
        ['--log', 'here'],
      ],
      subs: table([['http tcp tls start tunnel config version help diagnose', 'reads']]),
    },
  ],
  [
    'rclone',
    {
      does: 'here',
      subs: table([
        ['ls lsd lsl lsf lsjson cat size about listremotes version help ncdu tree md5sum sha1sum', 'reads'],
      ]),
    },
  ],
  [
    'ollama',
    { does: 'here', bare: 'reads', subs: table([['list ls ps show pull push run stop rm cp serve help', 'reads']]) },
  ],
]
