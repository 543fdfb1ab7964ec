import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ByteRedaction } from '../../src/secrets/bytes.ts'
import { MARK } from '../../src/secrets/range.ts'
import { redact, redactCounting, redactValue } from '../../src/secrets/redact.ts'
import { Redaction } from '../../src/secrets/stream.ts'
import { plantedChats } from './chats.ts'
import { writtenDown } from './lines.ts'
import { ordinaryLines, TRICKY } from './ordinary.ts'
import { drawer, KINDS, lot } from './secrets.ts'

const planted = plantedChats(1)
const draw = drawer(lot(3))
const password = () => draw('abcdefghijkmnopqrstuvwxyz23456789', 14)

const survives = (out: string, secrets: readonly string[]): boolean =>
  secrets.some((secret) => out.includes(secret) || out.includes(JSON.stringify(secret).slice(1, -1)))

function isJson(text: string): boolean {
  try {
    JSON.parse(text)
    return true
  } catch {
    return false
  }
}

describe('planted secrets', () => {
  test('there are enough of them', () => {
    expect(Object.keys(KINDS).length).toBeGreaterThanOrEqual(100)
    expect(planted.length).toBeGreaterThanOrEqual(800)
  })

  test('none survives', () => {
    const survivors = planted.filter(({ text, secrets }) => survives(redact(text), secrets))
    expect(survivors.map(({ kind, text }) => `${kind}: ${redact(text).slice(0, 300)}`)).toEqual([])
  })

  test('the names of things stay readable', () => {
    const lost = planted.filter(({ text, kept = [] }) => kept.some((name) => !redact(text).includes(name)))
    expect(lost.map(({ kind, text }) => `${kind}: ${redact(text).slice(0, 300)}`)).toEqual([])
  })

  test('a second time does nothing more', () => {
    const changed = planted.filter(({ text }) => redact(redact(text)) !== redact(text))
    expect(changed.map(({ kind, text }) => `${kind}: ${redact(text)} => ${redact(redact(text))}`)).toEqual([])
  })

  test('none survives in a chat of all of them', () => {
    const chat = planted.map(({ text }) => text).join('\n\n')
    const out = redact(chat)
    expect(planted.filter(({ secrets }) => survives(out, secrets)).map(({ kind }) => kind)).toEqual([])
  })
})

describe('ways to write a secret down', () => {
  const lines = [1, 2, 3].flatMap(writtenDown)

  test('none is overlooked', () => {
    const missed = lines.filter(({ text, secrets }) => survives(redact(text), secrets))
    expect(missed.map(({ text }) => `${text} => ${redact(text)}`)).toEqual([])
  })

  test('nor within JSON', () => {
    const quoted = (text: string): string => JSON.stringify({ stdout: `one\n${text}\ntwo` })
    const missed = lines.filter(({ text, secrets }) => survives(redact(quoted(text)), secrets))
    expect(missed.map(({ text }) => redact(quoted(text)))).toEqual([])
  })

  test('and JSON stays JSON', () => {
    const spoilt = lines.filter(({ text }) => !isJson(redact(JSON.stringify({ stdout: `one\n${text}\ntwo` }))))
    expect(spoilt.map(({ text }) => redact(JSON.stringify({ stdout: `one\n${text}\ntwo` })))).toEqual([])
  })
})

describe('ordinary text', () => {
  test('lines that only speak of secrets are left alone', () => {
    expect(TRICKY.filter((line) => redact(line) !== line).map((line) => `${line} => ${redact(line)}`)).toEqual([])
  })

  test('far more than 99 lines of 100 are untouched', () => {
    const lines = ordinaryLines()
    const touched = lines.filter((line) => redact(line) !== line)
    expect(lines.length).toBeGreaterThan(20_000)
    expect(touched.length / lines.length, touched.slice(0, 20).join('\n')).toBeLessThan(0.002)
  })
})

describe('known values', () => {
  const known = ['zanzibar quokka', 'pa"ss\\word/1']

  test('are found plain, quoted, in an address and in base64', () => {
    const text = `${known[0]} ${JSON.stringify(known)} ${encodeURIComponent(known[1] ?? '')} ${btoa(known[0] ?? '')}`
    expect(redact(text, { known })).toBe(`${MARK} ["${MARK}","${MARK}"] ${MARK} ${MARK}`)
  })

  test('are found whatever signs they hold', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 6, maxLength: 40 }), (value) => {
        fc.pre(!MARK.includes(value) && value.trim().length >= 6)
        expect(redact(`x ${value} y`, { known: [value] }).includes(value)).toBe(false)
      }),
    )
  })

  test('one too short to be a secret is not looked for', () => {
    expect(redact('dev is fine', { known: ['dev'] })).toBe('dev is fine')
  })
})

describe('values', () => {
  test('strings anywhere inside, and what stands under the name of a secret', () => {
    const secret = password()
    const input = {
      command: `curl -u ann:${secret} https://x.test`,
      env: { DB_PASSWORD: 'plainword', NODE_ENV: 'development' },
      headers: [{ name: 'Authorization', value: `Bearer ${secret}` }],
      cookies: { Cookie: `sid=${secret}; theme=dark` },
      nested: [[{ api_key: [secret] }]],
      file_path: 'src/a.ts',
      max_tokens: 4096,
      done: true,
      nothing: null,
    }
    const before = structuredClone(input)
    expect(redactValue(input)).toEqual({
      command: `curl -u ann:${MARK} https://x.test`,
      env: { DB_PASSWORD: MARK, NODE_ENV: 'development' },
      headers: [{ name: 'Authorization', value: `Bearer ${MARK}` }],
      cookies: { Cookie: `sid=${MARK}; theme=${MARK}` },
      nested: [[{ api_key: [MARK] }]],
      file_path: 'src/a.ts',
      max_tokens: 4096,
      done: true,
      nothing: null,
    })
    expect(input).toEqual(before)
  })
})

test('a value may be nested however deep', () => {
  let deep: unknown = password()
  for (let i = 0; i < 50_000; i++) deep = i % 2 ? [deep] : { a: deep }
  expect(JSON.stringify(redactValue(deep))).toContain(MARK)
  const wide = { accounts: [{ password: [{ old: password(), list: [password(), password()] }] }] }
  expect(Object.keys(redactValue(wide) as object)).toEqual(['accounts'])
})

describe('a text that comes in pieces', () => {
  const inPieces = (text: string, size: number): string => {
    const redaction = new Redaction()
    let out = ''
    for (let at = 0; at < text.length; at += size) out += redaction.push(text.slice(at, at + size))
    return out + redaction.end()
  }
  const filler = ordinaryLines().slice(0, 6000).join('\n')

  test('comes out the same, wherever it is cut', () => {
    const chat = planted.map(({ text }, i) => `${text}\n${filler.slice(i * 500, i * 500 + 500)}`).join('\n')
    const whole = redactCounting(chat)
    for (const size of [1013, 65_536, 300_000]) expect(inPieces(chat, size)).toBe(whole.text)
    expect(planted.filter(({ secrets }) => survives(whole.text, secrets)).map(({ kind }) => kind)).toEqual([])
  })

  test('a secret on the border of two steps is found', () => {
    const step = 256 * 1024
    for (let shift = -90; shift <= 10; shift += 5) {
      const secret = password()
      const line = `\nexport DB_PASSWORD=${secret}\n`
      const before = 'some words \n'.repeat(40_000).slice(0, step + shift)
      expect(inPieces(`${before}${line}${'more words \n'.repeat(40_000)}`, 10_000)).not.toContain(secret)
    }
  })

  test('nor does the beginning of a token slip out before its end is seen', () => {
    const step = 256 * 1024
    for (let shift = -40; shift <= 0; shift += 4) {
      const secret = `gh${'p'}_${draw('abcdefghijkmnopqrstuvwxyz23456789', 36)}`
      const before = 'some words \n'.repeat(40_000).slice(0, step + shift - 1)
      const out = inPieces(`${before} ${secret} ${'more words \n'.repeat(40_000)}`, 10_000)
      expect(out.includes(secret.slice(0, 8)), String(shift)).toBe(false)
    }
  })

  test('a private key longer than everything in view is found, and what follows is kept', () => {
    const dashes = '-'.repeat(5)
    const lines = Array.from({ length: 12_000 }, () => draw('ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefgh0123456789+/', 64))
    const key = [
      `${dashes}BEGIN PGP PRIVATE ${'KEY'} BLOCK${dashes}`,
      ...lines,
      `${dashes}END PGP PRIVATE ${'KEY'} BLOCK${dashes}`,
    ]
    const out = inPieces(`before\n${key.join('\n')}\nafter`, 7000)
    expect(out).toBe(`before\n${MARK}\nafter`)
  })

  test('a word without end is swallowed', () => {
    const out = inPieces(`token=${'aB3'.repeat(400_000)} after`, 9000)
    expect(out.endsWith(' after')).toBe(true)
    expect(out.length).toBeLessThan(100)
  })
})

describe('bytes', () => {
  const through = (bytes: Uint8Array, size: number): Buffer => {
    const redaction = new ByteRedaction()
    const parts: Uint8Array[] = []
    for (let at = 0; at < bytes.length; at += size) parts.push(redaction.push(bytes.subarray(at, at + size)))
    return Buffer.concat([...parts, redaction.end()])
  }

  test('whatever is no secret comes out byte for byte, wherever it is cut', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 300 }), fc.integer({ min: 1, max: 20 }), (bytes, size) => {
        expect(through(bytes, size)).toEqual(Buffer.from(bytes))
      }),
    )
  })

  test('no character is torn between two steps', () => {
    for (const before of ['', 'a']) {
      const bytes = Buffer.from(before + '😀'.repeat(200_000))
      expect(through(bytes, 100_001).equals(bytes)).toBe(true)
    }
  })

  test('line ends, marks and broken UTF-8 around a secret are kept', () => {
    const secret = password()
    const bytes = Buffer.concat([
      Buffer.from([0xef, 0xbb, 0xbf, 0xff, 0xfe, 0xed, 0xa0, 0x80]),
      Buffer.from(`\r\nDB_PASSWORD=${secret}\r\n😀 ende`),
      Buffer.from([0xc3, 0x28, 0xf0, 0x9f, 0x98]),
    ])
    const at = bytes.indexOf(secret)
    const expected = Buffer.concat([bytes.subarray(0, at), Buffer.from(MARK), bytes.subarray(at + secret.length)])
    for (const size of [1, 2, 3, 5, 1000]) expect(through(bytes, size)).toEqual(expected)
  })
})

// A search that went back over the text again and again would take minutes.
test('no text takes more time than its length accounts for', { timeout: 60_000 }, () => {
  const units = [
    'aB3',
    'a.b-c',
    'x:',
    '"\\',
    'key=',
    '://a',
    'a@b:',
    '\\n',
    'eyJ',
    'sk-',
    'password ',
    'curl -u ',
    'cookie: a=b;',
  ]
  const dashes = '-'.repeat(5)
  for (const unit of [...units, `${dashes}BEGIN PRIVATE ${'KEY'}${dashes}`]) {
    const text = unit.repeat(60_000 / unit.length)
    expect(redact(text), unit).toBeTypeOf('string')
  }
})
