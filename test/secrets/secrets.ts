/** Made-up secrets, put together when the tests run, so that no scanner stumbles over the sources. */

/** Numbers as if drawn by lot, the same for the same seed. */
export function lot(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (state + 0x6d2b79f5) >>> 0
    let t = state
    t = Math.imul(t ^ (t >>> 15), t | 1)
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61)
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296
  }
}

const UPPER = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
const LOWER = UPPER.toLowerCase()
const DIGITS = '0123456789'
const HEX = '0123456789abcdef'
const ALNUM = UPPER + LOWER + DIGITS
const URL64 = `${ALNUM}-_`
const B64 = `${ALNUM}+/`

export type Draw = (alphabet: string, length: number) => string

export const drawer =
  (random: () => number): Draw =>
  (alphabet, length) =>
    Array.from({ length }, () => alphabet[Math.floor(random() * alphabet.length)]).join('')

/** A piece of text with a secret in it. */
export interface Planted {
  readonly kind: string
  readonly text: string
  /** None of these may survive. */
  readonly secrets: readonly string[]
  /** These must: the names of things. */
  readonly kept?: readonly string[]
}

type Make = (draw: Draw) => Omit<Planted, 'kind'>

const token =
  (make: (draw: Draw) => string): Make =>
  (draw) => {
    const secret = make(draw)
    return { text: secret, secrets: [secret] }
  }

/** A password as people make them: a word, digits, a sign. */
const word = (draw: Draw): string => `${draw(LOWER, 5)}${draw('!@#%^', 1)}${draw(DIGITS, 3)}${draw(UPPER, 2)}`

const named =
  (before: string, value: (draw: Draw) => string, after = ''): Make =>
  (draw) => {
    const secret = value(draw)
    const kept = /[A-Za-z_-]{3,}/.exec(before)?.[0]
    return { text: `${before}${secret}${after}`, secrets: [secret], ...(kept ? { kept: [kept] } : {}) }
  }

const pem =
  (label: string, end = '\n'): Make =>
  (draw) => {
    const lines = [`MII${draw(B64, 61)}`, ...Array.from({ length: 12 }, () => draw(B64, 64)), `${draw(B64, 30)}==`]
    const dashes = '-'.repeat(5)
    return {
      text: [`${dashes}BEGIN ${label}${dashes}`, ...lines, `${dashes}END ${label}${dashes}`].join(end),
      secrets: [...lines, `${dashes}BEGIN`],
    }
  }

const jwt = (draw: Draw): string => `eyJhbGciOiJIUzI1NiJ9.eyJ${draw(URL64, 40)}.${draw(URL64, 43)}`

/** Each kind of secret, by name. */
export const KINDS: Readonly<Record<string, Make>> = {
  'aws access key id': token((d) => `AKI${'A'}${d(UPPER + DIGITS, 16)}`),
  'aws session key id': token((d) => `ASI${'A'}${d(UPPER + DIGITS, 16)}`),
  'aws secret access key': named('aws_secret_access_key = ', (d) => d(B64, 40)),
  'aws secret in json': named('"SecretAccessKey": "', (d) => d(B64, 40), '"'),
  'google api key': token((d) => `AIz${'a'}${d(URL64, 35)}`),
  'google oauth token': token((d) => `ya${'29'}.${d(URL64, 60)}`),
  'google client secret': token((d) => `GOC${'SPX'}-${d(URL64, 28)}`),
  'azure storage key': named(
    'AccountName=store1;AccountKey=',
    (d) => `${d(B64, 86)}==`,
    ';EndpointSuffix=core.windows.net',
  ),
  'azure sas': named(
    'https://store1.blob.core.windows.net/c/f.txt?sv=2024-11-04&sp=r&sig=',
    (d) => `${d(ALNUM, 42)}%3D`,
  ),
  'azure client secret': named('AZURE_CLIENT_SECRET=', (d) => `${d(ALNUM, 3)}8Q~${d(URL64, 34)}`),
  'github classic': token((d) => `gh${'p'}_${d(ALNUM, 36)}`),
  'github oauth': token((d) => `gh${'o'}_${d(ALNUM, 36)}`),
  'github server': token((d) => `gh${'s'}_${d(ALNUM, 36)}`),
  'github fine-grained': token((d) => `github${'_pat_'}${d(ALNUM, 22)}_${d(ALNUM, 59)}`),
  gitlab: token((d) => `gl${'pat'}-${d(URL64, 20)}`),
  npm: token((d) => `np${'m'}_${d(ALNUM, 36)}`),
  npmrc: named('//registry.example.test/:_authToken=', (d) => d(HEX, 36)),
  'npmrc basic': named('//registry.example.test/:_auth=', (d) => `${d(B64, 24)}==`),
  pypi: token((d) => `py${'pi'}-AgEIcHlwaS5vcmc${d(URL64, 60)}`),
  'docker hub': token((d) => `dckr${'_pat_'}${d(URL64, 27)}`),
  'docker config': named(
    '{"auths":{"registry.example.test":{"auth":"',
    (d) => Buffer.from(`bot:${d(ALNUM, 12)}`).toString('base64'),
    '"}}}',
  ),
  'slack bot': token((d) => `xox${'b'}-${d(DIGITS, 12)}-${d(DIGITS, 12)}-${d(ALNUM, 24)}`),
  'slack user': token((d) => `xox${'p'}-${d(DIGITS, 12)}-${d(DIGITS, 12)}-${d(DIGITS, 12)}-${d(HEX, 32)}`),
  'slack hook': named(
    'https://hooks.slack.com/services/',
    (d) => `T${d(UPPER + DIGITS, 8)}/B${d(UPPER + DIGITS, 8)}/${d(ALNUM, 24)}`,
  ),
  'discord bot': token((d) => `M${d(ALNUM, 23)}.${d(URL64, 6)}.${d(URL64, 38)}`),
  'discord hook': named('https://discord.com/api/webhooks/112233445566778899/', (d) => d(URL64, 68)),
  'telegram bot': token((d) => `${d('123456789', 10)}:AA${d(URL64, 33)}`),
  'stripe live': token((d) => `sk${'_live_'}${d(ALNUM, 24)}`),
  'stripe restricted': token((d) => `rk${'_live_'}${d(ALNUM, 24)}`),
  'stripe hook': token((d) => `wh${'sec'}_${d(ALNUM, 32)}`),
  square: token((d) => `sq0${'atp'}-${d(URL64, 22)}`),
  shopify: token((d) => `shp${'at'}_${d(HEX, 32)}`),
  sendgrid: token((d) => `S${'G'}.${d(URL64, 22)}.${d(URL64, 43)}`),
  mailgun: token((d) => `key${'-'}${d(HEX, 32)}`),
  mailchimp: token((d) => `${d(HEX, 32)}-us12`),
  twilio: named('TWILIO_AUTH_TOKEN=', (d) => d(HEX, 32)),
  'twilio key': token((d) => `S${'K'}${d(HEX, 32)}`),
  openai: token((d) => `sk${'-proj-'}${d(URL64, 74)}T3Blbk${'FJ'}${d(URL64, 74)}`),
  'openai old': token((d) => `sk${'-'}${d(ALNUM, 20)}T3Blbk${'FJ'}${d(ALNUM, 20)}`),
  anthropic: token((d) => `sk${'-ant-'}api03-${d(URL64, 93)}AA`),
  groq: token((d) => `gs${'k'}_${d(ALNUM, 52)}`),
  'hugging face': token((d) => `h${'f'}_${d(UPPER + LOWER, 34)}`),
  replicate: token((d) => `r${'8'}_${d(ALNUM, 37)}`),
  linear: token((d) => `lin${'_api_'}${d(ALNUM, 40)}`),
  notion: token((d) => `nt${'n'}_${d(DIGITS, 11)}${d(ALNUM, 35)}`),
  figma: token((d) => `fig${'d'}_${d(URL64, 40)}`),
  airtable: token((d) => `pat${d(ALNUM, 14)}.${d(HEX, 64)}`),
  atlassian: token((d) => `ATA${'TT3'}xFfGF0${d(URL64, 120)}=${d(HEX, 8)}`),
  databricks: token((d) => `dap${'i'}${d(HEX, 32)}`),
  digitalocean: token((d) => `dop${'_v1_'}${d(HEX, 64)}`),
  cloudflare: token((d) => `cf${'ut'}_${d(ALNUM, 40)}${d(HEX, 8)}`),
  'cloudflare key': named('CLOUDFLARE_API_KEY=', (d) => d(HEX, 37)),
  vercel: token((d) => `vc${'p'}_${d(ALNUM, 40)}`),
  netlify: token((d) => `nf${'p'}_${d(ALNUM, 40)}`),
  'fly.io': token((d) => `fo${'1'}_${d(URL64, 43)}`),
  supabase: token((d) => `sb${'p'}_${d(HEX, 40)}`),
  planetscale: token((d) => `pscale${'_tkn_'}${d(URL64, 43)}`),
  vault: token((d) => `hv${'s'}.${d(URL64, 95)}`),
  terraform: token((d) => `${d(ALNUM, 14)}.atlas${'v1'}.${d(URL64, 67)}`),
  pulumi: token((d) => `pu${'l'}-${d(HEX, 40)}`),
  doppler: token((d) => `dp.${'st'}.prd.${d(ALNUM, 43)}`),
  tailscale: token((d) => `tskey${'-auth-'}${d(ALNUM, 11)}CNTRL-${d(ALNUM, 32)}`),
  'new relic': token((d) => `NR${'AK'}-${d(UPPER + DIGITS, 27)}`),
  grafana: token((d) => `gl${'sa'}_${d(ALNUM, 32)}_${d(HEX, 8)}`),
  sentry: token((d) => `sn${'trys'}_eyJ${d(B64, 80)}_${d(B64, 43)}`),
  postman: token((d) => `PM${'AK'}-${d(HEX, 24)}-${d(HEX, 34)}`),
  datadog: named('DD_API_KEY: ', (d) => d(HEX, 32)),
  '1password': token((d) => `op${'s'}_ey${d(ALNUM, 200)}fQ`),
  age: token((d) => `AGE-SECRET${'-KEY-1'}${d(UPPER + DIGITS, 58)}`),
  jwt: token(jwt),
  'bearer header': named('Authorization: Bearer ', (d) => d(URL64, 40)),
  'basic header': named('Authorization: Basic ', (d) => Buffer.from(`u:${d(ALNUM, 9)}`).toString('base64')),
  'header in curl': named(
    "curl -sS -H 'Authorization: Bearer ",
    (d) => d(ALNUM, 32),
    "' https://api.example.test/v1/me",
  ),
  'api key header': named('X-Api-Key: ', (d) => d(ALNUM, 24)),
  'header in code': named("headers: { 'Authorization': 'token ", (d) => d(HEX, 40), "' }"),
  cookie: named('Cookie: theme=', (d) => d(LOWER, 7), '; Path=/'),
  'set-cookie': named('Set-Cookie: sid=', (d) => d(ALNUM, 32), '; Path=/; HttpOnly; Secure; SameSite=Lax'),
  'postgres address': named('postgres://app:', word, '@db.example.test:5432/app?sslmode=require'),
  'mysql address': named('mysql://root:', (d) => d(ALNUM, 10), '@127.0.0.1:3306/shop'),
  'mongodb address': named('mongodb+srv://admin:', (d) => d(ALNUM, 14), '@cluster0.example.test/app'),
  'redis address': named('redis://:', (d) => d(ALNUM, 18), '@cache.example.test:6379/0'),
  'amqp address': named('amqps://svc:', (d) => d(ALNUM, 12), '@mq.example.test/vhost'),
  'http address': named('https://deploy:', (d) => d(ALNUM, 12), '@git.example.test/team/app.git'),
  'ado string': named(
    'Server=tcp:sql.example.test,1433;Database=app;User Id=sa;Password=',
    (d) => `${d(ALNUM, 9)}!`,
    ';Encrypt=True;',
  ),
  'jdbc string': named('jdbc:postgresql://db.example.test/app?user=app&password=', (d) => d(ALNUM, 12)),
  'rsa key': pem(`RSA PRIVATE ${'KEY'}`),
  'pkcs8 key': pem(`PRIVATE ${'KEY'}`),
  'encrypted key': pem(`ENCRYPTED PRIVATE ${'KEY'}`),
  'ec key': pem(`EC PRIVATE ${'KEY'}`),
  'openssh key': pem(`OPENSSH PRIVATE ${'KEY'}`),
  'pgp key': pem(`PGP PRIVATE ${'KEY'} BLOCK`),
  'key in json': pem(`PRIVATE ${'KEY'}`, '\\n'),
  'key in json in json': pem(`PRIVATE ${'KEY'}`, '\\\\n'),
  'key with crlf': pem(`RSA PRIVATE ${'KEY'}`, '\r\n'),
  'env password': named('DB_PASSWORD=', word),
  'env plain word': named('ADMIN_PASSWORD=', (d) => d(LOWER, 9)),
  'export secret': named('export JWT_SECRET="', (d) => d(ALNUM, 24), '"'),
  'env secret': named('SESSION_SECRET=', (d) => d(LOWER, 20)),
  'json password': named('{"user": "ann", "password": "', word, '", "port": 5432}'),
  'json escaped': named('"{\\"user\\":\\"ann\\",\\"password\\":\\"', word, '\\"}"'),
  'json twice escaped': named('"{\\\\\\"api_key\\\\\\":\\\\\\"', (d) => d(ALNUM, 28), '\\\\\\"}"'),
  'yaml password': named('  password: ', word),
  'yaml quoted': named("  client_secret: '", (d) => d(ALNUM, 30), "'"),
  'toml token': named('token = "', (d) => d(ALNUM, 30), '"'),
  'ini secret': named('secret_key = ', (d) => d(ALNUM, 30)),
  'code literal': named("const apiKey = '", (d) => d(ALNUM, 32), "'"),
  'code keyword': named('connect(host="db", password="', word, '")'),
  'flag equals': named('mysqldump --user=root --password=', word, ' shop > shop.sql'),
  'flag space': named('vault login --token ', (d) => d(ALNUM, 26)),
  'curl user': named('curl -u deploy:', word, ' https://ci.example.test/job'),
  'mysql -p': named('mysql -u root -p', (d) => d(ALNUM, 10), ' shop'),
  sshpass: named("sshpass -p '", word, "' ssh root@10.0.0.5"),
  'redis-cli': named('redis-cli -h cache -a ', (d) => d(ALNUM, 16), ' ping'),
  'docker login': named('docker login -u bot -p ', (d) => d(ALNUM, 16), ' registry.example.test'),
  'sql user': named("CREATE USER app WITH PASSWORD '", word, "';"),
  'sql identified': named("CREATE USER 'app'@'%' IDENTIFIED BY '", word, "';"),
  netrc: named('machine api.example.test login bot password ', (d) => d(ALNUM, 16)),
  pgpass: named('db.example.test:5432:app:app:', (d) => d(ALNUM, 16)),
  'query token': named('GET /v1/items?page=2&access_token=', (d) => d(ALNUM, 32), '&sort=asc HTTP/1.1'),
  'prose password': named('the password is ', word, ', please do not share it'),
  'prose in Chinese': named('数据库密码是 ', word, '，不要外传'),
  bcrypt: token((d) => `$2b$${'12'}$${d(`${ALNUM}./`, 53)}`),
  shadow: named('root:', (d) => `$6$${d(ALNUM, 16)}$${d(`${ALNUM}./`, 86)}`, ':19000:0:99999:7:::'),
}
