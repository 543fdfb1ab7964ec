import { drawer, lot } from './secrets.ts'

/** Ways in which people and programs write a secret down: `{T}` a token, `{P}` a password, `{W}` a short one, `{H}` a number in hex. */
const WAYS = `
my password is {W}
Password: {W}
pwd={W}
The API key is {T}.
api key: {T}
API-Key: {T}
apikey={T}
"apiKey":"{T}"
token {T}
use token {T} to log in
Bearer {T}
bearer: {T}
auth_token: {T}
x-auth-token: {T}
access_token={T}&expires_in=3600
{"access_token":"{T}","token_type":"bearer"}
refresh_token = '{T}'
client_secret={T}
clientSecret: "{T}"
password="{P}"
password='{P}'
PASSWORD={P}
--password {P}
--password={P}
mysql -uroot -p{P} db
mysql://root:{P}@localhost/db
postgresql://u:{P}@h:5432/d
mongodb://u:{P}@h/d
redis://default:{P}@h:6379
amqp://u:{P}@h
ftp://u:{P}@h/f
smtp://u:{P}@h:587
ldap://u:{P}@h
https://{T}@github.com/a/b.git
https://oauth2:{T}@gitlab.com/a/b
Server=h;Database=d;User Id=u;Password={P};
Data Source=h;uid=sa;pwd={P}
jdbc:mysql://h/d?user=u&password={P}
Endpoint=sb://x.servicebus.windows.net/;SharedAccessKeyName=Root;SharedAccessKey={T}abcdefgh=
DefaultEndpointsProtocol=https;AccountName=a;AccountKey={T}{T}==;
Authorization: Bearer {T}
Authorization: Token {H}
"Authorization": "Bearer {T}"
-H "Authorization: Bearer {T}"
Authorization: AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/s3/aws4_request, SignedHeaders=host, Signature={H}{H}
Cookie: session={T}; csrftoken={H}
Set-Cookie: sessionid={T}; HttpOnly
document.cookie = "sid={T}"
curl -b "session={T}" https://x
curl --cookie session={T} https://x
curl -u admin:{P} https://x
curl --user admin:{P} https://x
wget --http-password={P} u
export AWS_SECRET_ACCESS_KEY={T}{T}
aws_session_token = {T}{T}{T}
SECRET_KEY = '{T}'
SECRET_KEY_BASE={H}{H}
app.secret = "{P}"
NEXTAUTH_SECRET="{T}="
encryption_key: {H}
signing-key: {T}
private_key: "{T}{T}"
const password = "{W}";
password := "{W}"
let token: string = "{T}"
token: Optional[str] = "{T}"
$password = '{W}';
define('DB_PASSWORD', '{P}');
putenv("API_KEY={T}")
os.environ["API_KEY"] = "{T}"
process.env.TOKEN = '{T}'
config.set("password", "{P}")
setPassword("{P}")
.password("{P}")
new Client({ user: 'a', pass: '{W}' })
<password>{P}</password>
<add key="ApiKey" value="{T}" />
<property name="password" value="{P}"/>
password = {P}
password: {P} # db
- name: DB_PASSWORD⏎  value: {P}
- name: API_TOKEN⏎  value: "{T}"
{"name":"DB_PASSWORD","value":"{P}"}
{\\"name\\":\\"DB_PASSWORD\\",\\"value\\":\\"{P}\\"}
ENV API_KEY={T}
ENV API_KEY {T}
ARG TOKEN={T}
docker run -e POSTGRES_PASSWORD={P} postgres
kubectl create secret generic x --from-literal=password={P}
helm install --set db.password={P}
set PASSWORD={P}
$env:API_KEY = "{T}"
setx API_KEY {T}
gh secret set TOKEN --body {T}
gh secret set TOKEN -b "{T}"
echo {T} | gh auth login --with-token
echo "{P}" | docker login -u x --password-stdin
vault kv put secret/x password={P}
heroku config:set SECRET_KEY={T}
vercel env add TOKEN {T}
ALTER USER app PASSWORD '{P}';
SET PASSWORD FOR 'a'@'b' = PASSWORD('{P}');
user ann password {P}
machine x login y password {P}
login: ann / password: {P}
username=ann, password={P}
ann:{P}@example.com
密码：{P}
密码是{P}
口令为 {P}
token是 {T}
contraseña: {P}
Passwort: {P}
mot de passe : {P}
webhook secret is {T}
X-Amz-Signature={H}{H}
&sig={T}%3D
_authToken="{T}"
PGPASSWORD={P} psql
MYSQL_PWD={P}
REDIS_PASS={P}
SMTP_PASS="{P}"
spring.datasource.password={P}
"password" : "{P}"
'password' => '{P}',
:password => "{P}"
SENTRY_DSN=https://{H}@o1.ingest.example.test/1
kid=1 secret={T}
hmac_key={H}
AES key: {H}
the secret was "{P}"
my key is {T}
ssh-pass: {P}
\\"password\\": \\"{P}\\"
password%3D{T}%26
"db_pass": "{W}"
Private key (hex): 0x{H}{H}
PRIVATE_KEY=0x{H}{H}
`

export interface Line {
  readonly text: string
  readonly secrets: readonly string[]
}

const SETS = {
  T: ['ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789', 24],
  H: ['0123456789abcdef', 32],
} as const

/** One line for each way, with values of its own. */
export function writtenDown(seed: number): Line[] {
  const draw = drawer(lot(seed))
  const make: Record<string, () => string> = {
    T: () => `k8${draw(...SETS.T)}`,
    H: () => draw(...SETS.H),
    P: () => `S${draw('abcdefghijkmnopqrstuvwxyz', 4)}${draw('23456789', 3)}!${draw('ABCDEFGHJKLMN', 2)}x`,
    W: () => `${draw('abcdefghijkmnopqrstuvwxyz', 6)}${draw('23456789', 1)}`,
  }
  return WAYS.trim()
    .split('\n')
    .map((way) => {
      const secrets: string[] = []
      const text = way.replaceAll(/\{([TPWH])\}/g, (_, kind: string) => {
        const secret = make[kind]?.() ?? ''
        secrets.push(secret)
        return secret
      })
      return { text: text.replaceAll('⏎', '\n'), secrets }
    })
}
