import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { drawer, lot } from './secrets.ts'

/** What developers write all day and nobody need hide. */
export function ordinaryLines(): string[] {
  const root = join(import.meta.dirname, '../..')
  const files = globSync(['src/**/*.ts', 'docs/**/*.md', '*.md', '*.json', 'test/e2e/*.ts'], { cwd: root })
  const own = files.filter((name) => !name.includes('privacy')).map((name) => readFileSync(join(root, name), 'utf8'))
  const draw = drawer(lot(7))
  const hex = (length: number) => draw('0123456789abcdef', length)
  const uuid = () => [8, 4, 4, 4, 12].map(hex).join('-')
  const base64 = (length: number) => draw('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/', length)
  const made = Array.from({ length: 200 }, () => [
    `commit ${hex(40)}`,
    `index ${hex(7)}..${hex(7)} 100644`,
    `      "integrity": "sha512-${base64(86)}==",`,
    `      "resolved": "https://packages.example.test/zod/-/zod-4.6.7.tgz",`,
    `${hex(64)}  dist/main.cjs`,
    `"sessionId":"${uuid()}","uuid":"${uuid()}","requestId":"req_${base64(20).replaceAll(/[+/]/g, () => 'a')}"`,
    `"usage":{"input_tokens":4,"cache_creation_input_tokens":11876,"cache_read_input_tokens":0,"output_tokens":221}`,
    `s_20260228_153012_${hex(6)}  2026-02-28 15:30  before the refactoring`,
    `FROM node:26-alpine@sha256:${hex(64)}`,
    `![logo](data:image/png;base64,iVBORw0KGgo${base64(120)})`,
    `github.com/pkg/errors v0.9.1 h1:${base64(43)}=`,
    `    at Object.<anonymous> (/home/ann/app/src/auth/token-store.ts:${Number.parseInt(hex(2), 16)}:17)`,
  ])
  return [...own.join('\n').split('\n'), ...made.flat(), ...TRICKY]
}

/** Lines that speak of secrets and hold none. */
export const TRICKY: readonly string[] = [
  'const token = await getToken(session)',
  'if (password === undefined) throw new Error("password is required")',
  'function login(user: string, password: string): Promise<Token> {',
  '  password: z.string().min(8),',
  '  apiKey: process.env.API_KEY,',
  'token = os.environ["GITHUB_TOKEN"]',
  'export GITHUB_TOKEN=$(gh auth token)',
  'DB_PASSWORD=${DB_PASSWORD:?missing}',
  'API_KEY=<your-api-key>',
  'password: ${{ secrets.DEPLOY_PASSWORD }}',
  'curl -H "Authorization: Bearer $TOKEN" https://api.example.test',
  'The token expires after an hour; the key is rotated daily.',
  'Forgot your password? Reset it here.',
  '"max_tokens": 4096, "stop_token": "</s>"',
  'tokens: 1523, cost: 0.02',
  'for (const key of Object.keys(map)) delete map[key]',
  'PRIMARY KEY (id), FOREIGN KEY (user_id) REFERENCES users(id)',
  'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJ0example user@host',
  'PWD=/home/ann/app',
  'session_id: sess_01HZX3W5J8',
  'key={item.id} onClick={() => select(item)}',
  'type="password" name="password" autocomplete="current-password"',
  'git clone git@github.com:owner/name.git',
  'https://example.test/docs/api-keys#rotate-a-token',
  'tokenizer.encode(text) // one token per word',
  'secretName: database-credentials',
  'keyboard, monkey, passenger, tokenise, compass, author',
]
