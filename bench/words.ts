/** What the text of the bench is made of. None of it is a folder name that Timewarp leaves out by default. */
const split = (text: string): readonly string[] => text.trim().split(/\s+/)

export const WORDS = split(`
  value name index item list map key path node state user event error result option config context request response
  handler store record session token buffer stream reader writer parser scope entry field table column query filter
  source input output message channel queue task worker thread lock lease owner member group role policy rule limit
  count total size length offset range start end begin finish open close read write load save fetch send receive
  parse format encode decode encrypt decrypt hash digest sign verify check match find search sort merge split join
  append insert remove delete update replace create destroy attach detach bind release acquire enable disable show
  hide render draw paint layout measure style theme colour font icon label title header footer panel window frame
  canvas shape point line curve region layer texture camera light scene model view controller service client server
  socket port host address route router gateway proxy bridge adapter driver device sensor signal pulse timer clock
  date time zone year month week day hour minute second price amount currency invoice order basket product stock
  customer account profile contact street city country region language locale text word letter symbol number digit
  vector matrix tensor graph edge vertex tree leaf branch root parent child sibling cursor page chunk block segment
  packet sequence batch snapshot version revision change patch diff commit history journal ledger audit report chart
  metric gauge counter histogram trace span level priority weight score rank average median minimum maximum default
  previous next current first last pending active idle ready failed expired hidden visible public private shared
  local remote global internal external primary secondary temporary permanent optional required unique ordered
`)

export const PROSE = split(`
  the a of to is in and that it for not be with this when are as if or on by from an was before after only which
  must may can will each every called returns given once never always until because than but all any one two no
  caller file value list first last same other new old empty missing already used kept written read made taken left
  sure order time state error result call place name path key reason second case next rest whole part side more less
`)

export const LICENCES: readonly string[] = [
  `// Copyright (c) The Contributors. All rights reserved.
// Licensed under the MIT License. See LICENSE in the project root for licence information.
`,
  `/*
 * Licensed under the Apache License, Version 2.0 (the "License");
 * you may not use this file except in compliance with the License.
 * You may obtain a copy of the License at
 *
 *     http://www.apache.org/licenses/LICENSE-2.0
 *
 * Unless required by applicable law or agreed to in writing, software
 * distributed under the License is distributed on an "AS IS" BASIS,
 * WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied.
 * See the License for the specific language governing permissions and
 * limitations under the License.
 */
`,
  `// This Source Code Form is subject to the terms of the Mozilla Public
// License, v. 2.0. If a copy of the MPL was not distributed with this
// file, You can obtain one at http://mozilla.org/MPL/2.0/.
`,
]

/** Slots: `$f` a name of the file, `$p` of the package, `$g` of everywhere, `$T` a type, `$n` a number, `$s` words. */
export const STATEMENTS: readonly string[] = [
  'const $f = $f.$p($f)',
  'const $f = await this.$p($f, $f)',
  'const { $f, $f } = $g($f)',
  'const $f = new $T($f, { $f, $p: $n })',
  'const $f = $f.filter(($f) => $f.$p !== $f)',
  'const $f = $f.map(($f) => $g($f.$p)).join($q)',
  'let $f = $n',
  'let $f: $T | undefined',
  '$f.$p = $f',
  '$f.$p($f, $n)',
  '$f += $f.$g',
  'this.$f = $f ?? $n',
  'this.$f.set($f.$p, $f)',
  'this.$f.$p($f).$g($q)',
  'await $f.$p({ $f, $f })',
  'await Promise.all($f.map(($f) => this.$p($f)))',
  'if ($f === undefined) return undefined',
  'if (!$f.$p) return $f',
  'if ($f.length === 0) continue',
  'if ($f.$p > $n) return false',
  'if ($f instanceof $T) return $f.$p',
  'throw new $TError(`$s: ${$f}`)',
  'expect($f.$p).toBe($n)',
  'expect($g($f)).toEqual({ $f: $q, $f: $n })',
  'return $f.$p($f)',
  'return { ...$f, $f, $p: $f.$g }',
  "logger.debug('$s', { $f })",
  '// $s',
]

export const OPENERS: readonly string[] = [
  'if ($f.$p) {',
  'if ($f && $f.$g !== $n) {',
  'for (const $f of $f.$p) {',
  'for (const [$f, $f] of Object.entries($f)) {',
  'while ($f.$p < $f) {',
  'try {',
  '$f.$p(($f) => {',
]

export const SIGNATURES: readonly string[] = [
  'export function $f($f: $T, $f: $T): $T {',
  'export async function $f($f: $T): Promise<$T> {',
  'function $f($f: readonly $T[], $f = $n): $T[] {',
  'async function $f({ $f, $f }: $T): Promise<void> {',
  "test('$s', async () => {",
  "describe('$s', () => {",
]

export const FIELDS: readonly string[] = ['$f: $T', '$p: string', '$p?: number', 'readonly $f: $T[]', '$p: boolean']

export const ENTRIES: readonly string[] = ["$f: '$s',", '$p: $n,', '$f: { $p: $n, $g: $q },', "['$p', $f],"]
