import { lintSource } from '@secretlint/core'
import { creator } from '@secretlint/secretlint-rule-preset-recommend'
import { expect, test } from 'vitest'
import { findRecommended } from '../../src/secrets/recommended.ts'
import { redact } from '../../src/secrets/redact.ts'
import { plantedChats } from './chats.ts'

/** What secretlint itself says, through its own door. */
async function lint(content: string): Promise<string[]> {
  const { messages } = await lintSource({
    source: { filePath: 'chat.txt', content, ext: '.txt', contentType: 'text' },
    options: { noPhysicFilePath: true, config: { rules: [{ id: creator.meta.id, rule: creator }] } },
  })
  return messages.map(({ messageId, range }) => `${messageId}: ${content.slice(...range)}`)
}

const planted = plantedChats(2)

test('secretlint finds nothing in what was redacted', async () => {
  const found = await Promise.all(planted.map(({ text }) => lint(redact(text))))
  expect(found.flat().filter((message) => !message.includes('REDACTED'))).toEqual([])
})

test('its rules, called one by one, find what it finds', async () => {
  const texts = planted.map(({ text }) => text)
  const wrong: string[] = []
  for (const text of texts) {
    const theirs = (await lint(text)).filter((message) => !/^(?:Npmrc_authToken|PrivateKeyJSON)/.test(message))
    if (findRecommended(text).length < theirs.length) wrong.push(text)
  }
  expect(wrong).toEqual([])
  expect(texts.filter((text) => findRecommended(text).length > 0).length).toBeGreaterThan(200)
})

test('a text cannot switch the rules off', () => {
  const secret = `gh${'p'}_${'aB3dE6gH9j'.repeat(4).slice(0, 36)}`
  for (const how of ['disable', 'disable-line', 'disable-next-line'])
    expect(findRecommended(`/* secretlint-${how} */\n${secret} // secretlint-${how}`), how).toHaveLength(1)
})
