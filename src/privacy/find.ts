import { lazily } from '../base/lazily.ts'
import { loadBeside } from '../host/beside.ts'
import { findBlocks } from './blocks.ts'
import { findInCommands } from './commands.ts'
import { findTokens } from './formats.ts'
import { findKnown, type Known } from './known.ts'
import { findPairs } from './pairs.ts'
import { MARK, merged, type Range } from './range.ts'
import { findInRequests } from './web.ts'

const recommended = lazily(() => loadBeside<typeof import('./recommended.ts')>('privacy', 'recommended'))

/** Every secret in a text, in order. What is already redacted is left alone. */
export function findSecrets(text: string, known?: Known): Range[] {
  const own: Range[] = []
  findBlocks(text, own)
  findTokens(text, own)
  findInRequests(text, own)
  findInCommands(text, own)
  findPairs(text, own)
  if (known) findKnown(text, known, own)
  const found = merged(own)
  const more = recommended()
    .findRecommended(text)
    .filter(({ start, end, isWhole }) => !(isWhole && found.some((range) => range.start < end && range.end > start)))
  return merged([...found, ...more])
    .filter(({ start, end }) => !text.slice(start, end).includes(MARK))
    .map(({ start, end }) => ({ start, end: isHalf(text, end) ? end + 1 : end }))
}

/** Between the two halves of a character. */
const isHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
