import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, onTestFinished, test } from 'vitest'
import { mergeConfig } from '../../src/schema/config.ts'
import { concealPaths } from '../../src/secrets/conceal.ts'
import { knownSecrets, secretsIn } from '../../src/secrets/known-secrets.ts'
import { MARK } from '../../src/secrets/range.ts'

const conceal = concealPaths(mergeConfig([]))

describe('secret paths', () => {
  test.each([
    '.env',
    'apps/web/.env.local',
    '.ENV',
    'prod.env',
    'id_rsa',
    'certs/server.key',
    'a/b.pem',
    '.npmrc',
    '.netrc',
    'home/.aws/credentials',
    '.ssh/config',
    'infra/prod.tfvars',
    './.env',
  ])('%s is one', (path) => {
    expect(conceal.isSecret(path)).toBe(true)
  })

  test.each([
    '.env.example',
    'src/env.ts',
    'id_rsa.pub',
    'keys.ts',
    'src/credentials.ts',
    'README.md',
    'environment',
    '',
  ])('%s is none', (path) => {
    expect(conceal.isSecret(path)).toBe(false)
  })

  test('the settings have the last word', () => {
    const own = concealPaths(mergeConfig([{ secrets: { paths: ['private/'] } }]))
    expect(['private/a.txt', '.env'].map(own.isSecret)).toEqual([true, false])
  })
})

describe('contents', () => {
  test('of an .env file only the names are left', () => {
    const content = '# old: s3cret\r\nA=1\r\n\nexport B="x\ny=z\nlast"\nC = three\nMIIabc==\nD=\n'
    expect(conceal.text('.env', content)).toBe(
      `${MARK}\r\nA=${MARK}\r\n\nexport B=${MARK}\n${MARK}\n${MARK}\nC =${MARK}\n${MARK}\nD=\n`,
    )
  })

  test('of any other secret file nothing is left, and other files are as they were', () => {
    const bytes = Uint8Array.of(0xff, 0, 1)
    expect(Buffer.from(conceal.bytes('id_rsa', bytes)).toString()).toBe(`${MARK}\n`)
    expect(conceal.bytes('a.bin', bytes)).toBe(bytes)
    expect(conceal.text('.env', '')).toBe('')
  })
})

describe('diffs', () => {
  test('keep their frame; lines of secret files are blanked', () => {
    const diff = [
      'diff --git a/.env b/.env',
      'index 111..222 100644',
      '--- a/.env',
      '+++ b/.env',
      '@@ -1,3 +1,3 @@ TOKEN=abc',
      ' A=keep',
      '--- a/x',
      '+++ b/x',
      ' B=1',
      '\\ No newline at end of file',
      'diff --git a/a.ts b/a.ts',
      '--- a/a.ts',
      '+++ b/a.ts',
      '@@ -1 +1 @@',
      '-one',
      '+two',
      'diff --git a/old.txt b/server.key',
      'similarity index 90%',
      'rename from old.txt',
      'rename to server.key',
      '--- a/old.txt',
      '+++ b/server.key',
      '@@ -1 +1 @@',
      '-k',
      '+l',
      '',
    ]
    const shown = conceal.diff(diff.join('\n')).split('\n')
    expect(shown).toEqual([
      ...diff.slice(0, 4),
      '@@ -1,3 +1,3 @@',
      ` ${MARK}`,
      `-${MARK}`,
      `+${MARK}`,
      ` ${MARK}`,
      ...diff.slice(9, 23),
      `-${MARK}`,
      `+${MARK}`,
      '',
    ])
  })

  test('a secret file that is new or gone is one all the same', () => {
    const diff = 'diff --git a/.env b/.env\nnew file mode 100644\n--- /dev/null\n+++ b/.env\n@@ -0,0 +1 @@\n+A=1\n'
    expect(conceal.diff(diff)).toBe(diff.replace('+A=1', () => `+${MARK}`))
    const plain = '--- .env\n+++ .env\n@@ -1 +1 @@\n-A=1\n+A=2\n--- a.ts\n+++ a.ts\n@@ -1 +1 @@\n-x\n+y\n'
    expect(conceal.diff(plain)).toBe(plain.replace('-A=1\n+A=2', () => `-${MARK}\n+${MARK}`))
  })

  test('context diffs and binary patches as well', () => {
    const context =
      '*** .env\n--- .env\n***************\n*** 1,2 ****\n! A=1\n  B=1\n--- 1,2 ----\n! A=2\n  B=1\n*** a.ts\n--- a.ts\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n'
    expect(conceal.diff(context)).toBe(
      `*** .env\n--- .env\n***************\n*** 1,2 ****\n! ${MARK}\n  ${MARK}\n--- 1,2 ----\n! ${MARK}\n  ${MARK}\n*** a.ts\n--- a.ts\n***************\n*** 1 ****\n! x\n--- 1 ----\n! y\n`,
    )
    const binary =
      'diff --git a/k.pem b/k.pem\nindex 1..2 100644\nGIT binary patch\nliteral 3\nKcmZQzWMT#Y01f~L\n\nliteral 0\nHcmV?d00001\n\n'
    expect(conceal.diff(binary)).not.toMatch(/KcmZ|HcmV/)
  })
})

describe('known secrets', () => {
  test('are the values in .env files that are worth hiding', () => {
    const text = [
      'NODE_ENV=development',
      'PORT=3000',
      'DEBUG=true',
      'APP_NAME=my-application',
      'AWS_REGION=eu-central-1',
      'API_URL=https://api.example.test/v1',
      'EMPTY=',
      '# COMMENT=abcdef12345',
      "DB_PASSWORD='horse battery'",
      'export CODE=quokka-42-zanzibar # remark',
      'DATABASE_URL="postgres://app:pa55word@db/app"',
    ].join('\n')
    expect(secretsIn(text)).toEqual([
      'horse battery',
      'quokka-42-zanzibar',
      'postgres://app:pa55word@db/app',
      'pa55word',
    ])
  })

  test('are found in the workspace and the folders below it', () => {
    const root = mkdtempSync(join(tmpdir(), 'timewarp-known-'))
    onTestFinished(() => rmSync(root, { recursive: true }))
    mkdirSync(join(root, 'apps/web'), { recursive: true })
    mkdirSync(join(root, 'node_modules/x'), { recursive: true })
    writeFileSync(join(root, '.env'), 'A_TOKEN=first-value-1\n')
    writeFileSync(join(root, 'apps/web/.env.local'), 'B_TOKEN=second-value-2\n')
    writeFileSync(join(root, '.env.example'), 'B_TOKEN=put-yours-here-3\n')
    writeFileSync(join(root, 'node_modules/x/.env'), 'C_TOKEN=third-value-3\n')
    expect(knownSecrets(root)).toEqual(['first-value-1', 'second-value-2'])
    expect(knownSecrets(join(root, 'not there'))).toEqual([])
  })
})
