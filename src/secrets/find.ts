import { lazily } from '../base/lazily.ts'
import { loadSibling } from '../host/sibling-file.ts'
import { findKnown, type KnownSecrets } from './known.ts'
import { holdsOf } from './needles.ts'
import { MARK, merged, type Range } from './range.ts'
import { findBlocks } from './rules/blocks.ts'
import { findInCalls } from './rules/calls.ts'
import { findCards } from './rules/cards.ts'
import { findCodes } from './rules/codes.ts'
import { findInCommands } from './rules/commands.ts'
import { findHooks } from './rules/formats.ts'
import { findHashes } from './rules/hashes.ts'
import { findInLists } from './rules/lists.ts'
import { findPairs } from './rules/pairs.ts'
import { findInPlaces } from './rules/places.ts'
import { findPairsInProse } from './rules/prose.ts'
import { findInStructures } from './rules/structures.ts'
import { findInTables } from './rules/tables.ts'
import { isMask } from './rules/values.ts'
import { findInRequests } from './rules/web.ts'
import { findInWords } from './rules/words.ts'

const recommended = lazily(() => loadSibling<typeof import('./recommended.ts')>('secrets', 'recommended'))

/** Every secret in a text, in order. Skips what is already redacted. */
export function findSecrets(text: string, known?: KnownSecrets): Range[] {
  const own: Range[] = []
  const holds = holdsOf(text)
  findBlocks(text, own)
  findInWords(text, own, holdsSecret)
  findHooks(text, own)
  findCards(text, own)
  findHashes(text, own, holds)
  findInStructures(text, own)
  findInTables(text, own)
  findInRequests(text, own)
  findInCommands(text, own, holds)
  findInPlaces(text, own, holds)
  findCodes(text, own, holds)
  findInLists(text, own)
  findInCalls(text, own)
  findPairs(text, own)
  findPairsInProse(text, own)
  if (known) findKnown(text, known, own)
  const found = merged(own)
  const more = recommended()
    .findRecommended(text)
    // The secret part of an address is found above, if it has one.
    .filter(({ isWhole }) => !isWhole)
  return merged([...found, ...more])
    .filter(({ start, end }) => !text.slice(start, end).includes(MARK) && !isMask(text.slice(start, end)))
    .map(({ start, end }) => ({ start, end: isHalf(text, end) ? end + 1 : end }))
}

/** Whether a decoded text contains a secret, recognised by its format or by its name. */
function holdsSecret(text: string): boolean {
  const found: Range[] = []
  findBlocks(text, found)
  findPairs(text, found)
  return found.length > 0
}

/** Between the two halves of a surrogate pair. */
const isHalf = (text: string, at: number): boolean =>
  (text.charCodeAt(at - 1) & 0xfc00) === 0xd800 && (text.charCodeAt(at) & 0xfc00) === 0xdc00
