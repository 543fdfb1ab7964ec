import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createWriteStream, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import fc from 'fast-check'
import { afterAll, describe, expect, test } from 'vitest'
import { type ChatSelection, exportChat } from '../../src/travel/chat/chat.ts'
import type { ChatSource } from '../../src/travel/chat/chat-records.ts'
import { FULL } from '../kit/rounds.ts'
import { plantedChats } from '../secrets/chats.ts'
import { drawer, lot } from '../secrets/secrets.ts'
import * as transcripts from './transcripts.ts'

const folder = mkdtempSync(join(tmpdir(), 'timewarp-chat-'))
afterAll(() => rmSync(folder, { recursive: true }))
const now = Date.parse('2026-02-28T15:35:02.345Z')
let files = 0

function fileOf(content: string): ChatSource {
  const file = join(folder, `${files++}.jsonl`)
  writeFileSync(file, content)
  return { file }
}

async function exported(source: ChatSource | undefined, selection: ChatSelection = 'whole', known: string[] = []) {
  let text = ''
  const write = async (piece: string) => void (text += piece)
  const outcome = await exportChat({ source, session_id: 'sess_1', selection, known, now, write })
  return { ...outcome, text, body: text.slice(text.indexOf('---\n\n') + 5).trimEnd() }
}

describe('the header', () => {
  test('is fixed', async () => {
    const { text } = await exported(fileOf(transcripts.claude))
    expect(text.slice(0, text.indexOf('[user]'))).toBe(
      'session_id: sess_1\ncaptured_at: 2026-02-28T15:35:02Z\nselection: whole\nredaction: applied\n\n---\n\n',
    )
  })

  test('tells the window, and that there was no transcript', async () => {
    expect((await exported(fileOf(''), { before: 6, after: 2 })).text).toContain(
      'selection: window(before=6, after=2)\n',
    )
    const none = await exported(undefined)
    expect(none.text).toContain('selection: none\nredaction: applied\n')
    expect(none.messages).toBe(0)
  })
})

describe('transcripts', () => {
  test('of Claude Code', async () => {
    expect((await exported(fileOf(transcripts.claude))).body).toMatchInlineSnapshot(`
      "[user] Make the tests pass

      [assistant] I run them first.

      [tool:Read]
      input: {"file_path":"a.ts"}
      output:
      let a

      [tool:Bash] (failed)
      input: {"command":"npm test"}
      output:
      1 failed

      [user] See this
      [image]

      [assistant] Done."
    `)
  })

  test('of Codex; a call without an outcome is told as well', async () => {
    expect((await exported(fileOf(transcripts.codex))).body).toMatchInlineSnapshot(`
      "[user] Make the file

      [assistant] I will patch.

      [tool:apply_patch]
      input: *** Begin Patch
      output:
      Success

      [tool:mcp__mini__echo]
      input: {"text":"one"}
      output:
      echo: one

      [tool:exec_command]
      input: {"cmd":"sleep 9"}
      (no output)"
    `)
  })

  test('of Gemini, line by line and as one document', async () => {
    const { body } = await exported(fileOf(transcripts.gemini))
    expect(body).toMatchInlineSnapshot(`
      "[user] Make the file

      [assistant] I will.

      [tool:write_file]
      input: {"file_path":"a","content":"x"}
      output:
      wrote it

      [assistant] All done."
    `)
    expect((await exported(fileOf(transcripts.geminiDocument))).body).toBe(body)
    expect((await exported(fileOf(JSON.stringify(JSON.parse(transcripts.geminiDocument))))).body).toBe(body)
  })

  test('of opencode, exported and from its database', async () => {
    const { body } = await exported(fileOf(transcripts.opencode))
    expect(body).toMatchInlineSnapshot(`
      "[user] Make the file

      [assistant] I will.

      [tool:write]
      input: {"filePath":"a"}
      output:
      Wrote it.

      [tool:bash] (failed)
      input: {"command":"x"}
      output:
      denied"
    `)
    const file = join(folder, 'opencode.db')
    const db = new DatabaseSync(file)
    db.exec(
      'CREATE TABLE message (id TEXT, session_id TEXT, time_created INT, data TEXT); CREATE TABLE part (id TEXT, message_id TEXT, data TEXT)',
    )
    const { messages } = JSON.parse(transcripts.opencode) as { messages: { info: object; parts: object[] }[] }
    for (const [i, { info, parts }] of messages.entries()) {
      db.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run(`m${i}`, 'sess_1', i, JSON.stringify(info))
      for (const [j, part] of parts.entries())
        db.prepare('INSERT INTO part VALUES (?, ?, ?)').run(`p${i}${j}`, `m${i}`, JSON.stringify(part))
    }
    db.prepare('INSERT INTO message VALUES (?, ?, ?, ?)').run('other', 'sess_2', 9, '{"role":"user"}')
    db.close()
    expect((await exported({ file })).body).toBe(body)
  })

  test('messages handed in', async () => {
    const messages = [
      { role: 'system', content: 'rules' },
      { role: 'user', content: 'say " }] \\' },
      { role: 'assistant', content: [{ type: 'text', text: 'hi' }] },
      { role: 'tool', name: 'bash', content: 'ok' },
    ]
    const { body } = await exported({ messages })
    expect(body).toBe('[user] say " }] \\\n\n[assistant] hi\n\n[tool:bash]\noutput:\nok')
    expect((await exported(fileOf(JSON.stringify(messages)))).body).toBe(body)
    expect((await exported(fileOf(JSON.stringify(messages, undefined, 2)))).body).toBe(body)
  })

  test('what cannot be read is left out and counted', async () => {
    const { body, skipped } = await exported(fileOf(transcripts.broken))
    expect(skipped).toBe(6)
    expect(body).toContain('[user] still here')
    expect(body).toMatch(/\n---\n\nnote: 6 pieces of the transcript could not be read$/)
  })

  test('nothing whatever makes it fail', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.oneof(fc.json(), fc.string()), { maxLength: 8 }), async (lines) => {
        const { text } = await exported(fileOf(lines.join('\n')))
        expect(text).toContain('redaction: applied')
      }),
      { numRuns: 60 },
    )
  })

  test('a file that is not there is told', async () => {
    await expect(exported({ file: join(folder, 'not there') })).rejects.toMatchObject({ code: 'BAD_INPUT' })
  })
})

describe('what is chosen', () => {
  const messages = Array.from({ length: 20 }, (_, i) => ({
    role: 'user',
    content: `m${i}`,
    timestamp: 1e12 + i * 1000,
  }))
  const said = async (selection: ChatSelection) =>
    (await exported({ messages }, selection)).body.replaceAll('[user] ', '').split('\n\n')

  test('a window ends with the last message', async () => {
    expect(await said({ before: 2, after: 3 })).toEqual(['m17', 'm18', 'm19'])
  })

  test('or lies around a moment', async () => {
    expect(await said({ before: 2, after: 3, at: 1e12 + 10_500 })).toEqual(['m8', 'm9', 'm10', 'm11', 'm12', 'm13'])
    expect(await said({ before: 1, after: 0, at: 1e12 + 10_500 })).toEqual(['m9', 'm10'])
    expect(await said({ before: 1, after: 1, at: 0 })).toEqual(['m0'])
    expect(await said({ before: 50, after: 1, at: 9e12 })).toHaveLength(20)
  })
})

describe('long texts', () => {
  test('are cut in the middle, and say how much is missing', async () => {
    const line = 'a line of output\n'
    const { body } = await exported({
      messages: [{ role: 'tool', name: 'bash', content: `first\n${line.repeat(20_000)}last` }],
    })
    const cut = Number(/\[… (\d+) characters cut …\]/.exec(body)?.[1])
    expect(body.startsWith('[tool:bash]\noutput:\nfirst\n')).toBe(true)
    expect(body.endsWith('\nlast')).toBe(true)
    expect(body.length).toBeLessThan(8200)
    const shown = body.replace(/\n\[… \d+ characters cut …\]\n/, () => '').length - '[tool:bash]\noutput:\n'.length
    expect(shown + cut).toBe('first\n'.length + line.length * 20_000 + 'last'.length)
  })

  test('a secret where the cut is does not survive in half', async () => {
    const draw = drawer(lot(5))
    for (let shift = 0; shift < 120; shift += 7) {
      const secret = draw('abcdefghijkmnopqrstuvwxyz23456789', 40)
      const content = `${'x'.repeat(5520 + shift)} DB_PASSWORD=${secret} ${'y '.repeat(FULL ? 90_000 : 80_000)}`
      const { text } = await exported({ messages: [{ role: 'tool', name: 'bash', content }] })
      expect(text).not.toContain(secret.slice(0, 6))
    }
  })
})

test('the end of a long key does not survive because its beginning was cut away', async () => {
  const draw = drawer(lot(6))
  const dashes = '-'.repeat(5)
  const lines = Array.from({ length: 400 }, () => draw('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh0123456789+/', 64))
  const key = [`${dashes}BEGIN PRIVATE ${'KEY'}${dashes}`, ...lines, `${dashes}END PRIVATE ${'KEY'}${dashes}`].join(
    '\n',
  )
  const { text } = await exported({
    messages: [{ role: 'tool', name: 'bash', content: `${'word '.repeat(40_000)}\n${key}\nend` }],
  })
  expect(lines.filter((line) => text.includes(line))).toEqual([])
  expect(text.trimEnd().endsWith('end')).toBe(true)
})

test('what somebody quotes does not pass for a message', async () => {
  const { body } = await exported({ messages: [{ role: 'user', content: 'look:\n[assistant] rm it\n[tool:x] y' }] })
  expect(body).toBe('[user] look:\n\\[assistant] rm it\n\\[tool:x] y')
})

test('no planted secret survives in a transcript', async () => {
  const planted = plantedChats(4)
  const lines = planted.map(({ text }, i) =>
    JSON.stringify(
      i % 2
        ? { type: 'user', message: { role: 'user', content: text }, uuid: `${i}` }
        : {
            type: 'user',
            uuid: `${i}`,
            message: { role: 'user', content: [{ type: 'tool_result', tool_use_id: 'x', content: text }] },
          },
    ),
  )
  const known = ['quokka zanzibar']
  const { text, redacted } = await exported(
    fileOf(`${lines.join('\n')}\n{"role":"user","content":"quokka zanzibar"}`),
    'whole',
    known,
  )
  expect(
    planted.filter(({ secrets }) => secrets.some((secret) => text.includes(secret))).map(({ kind }) => kind),
  ).toEqual([])
  expect(text).not.toContain(known[0])
  expect(redacted).toBeGreaterThanOrEqual(planted.length)
})

test('a large transcript is exported in little memory', { timeout: 300_000 }, async () => {
  const size = (FULL ? 200 : 24) * 1024 * 1024
  const file = join(folder, 'large.jsonl')
  const secret = drawer(lot(9))('abcdefghijkmnopqrstuvwxyz23456789', 20)
  const stream = createWriteStream(file)
  const big = 'an ordinary line of what a tool printed\n'.repeat(2000)
  for (let written = 0, i = 0; written < size; i++) {
    const content =
      i % 50 === 0 ? big : `Message ${i}: export DB_PASSWORD=${secret}, and then some ordinary words. `.repeat(10)
    const line = `${JSON.stringify({ type: i % 2 ? 'user' : 'assistant', message: { role: i % 2 ? 'user' : 'assistant', content }, uuid: `${i}` })}\n`
    written += line.length
    if (!stream.write(line)) await once(stream, 'drain')
  }
  stream.end()
  await once(stream, 'finish')
  const child = spawn(process.execPath, [join(import.meta.dirname, 'export-chat.ts'), file, join(folder, 'chat.md')], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const told: Buffer[] = []
  child.stdout.on('data', (part: Buffer) => told.push(part))
  await once(child, 'close')
  const { peak, messages } = JSON.parse(Buffer.concat(told).toString()) as { peak: number; messages: number }
  expect(messages).toBeGreaterThan(1000)
  expect(peak).toBeLessThan(300 * 1024 * 1024)
  expect(readFileSync(join(folder, 'chat.md')).includes(secret)).toBe(false)
})
