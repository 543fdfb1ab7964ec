import { expect, test } from 'vitest'
import { rounds } from '../kit/rounds.ts'
import { MODES, stoppedRestore } from '../live/interrupted.ts'

/** Restores of thousands of files, interrupted at moments spread over their whole time. */

const TREE = { folders: 30, files: 100 }

test.for(MODES)(
  'Ctrl-C at any moment of a restore leaves the files as before or as wanted (%s)',
  async ([, daemon]) => {
    const n = rounds(40)
    const shares = Array.from({ length: n }, (_, i) => (i + 0.5) / n)
    const stopped = await stoppedRestore(daemon, TREE, shares)
    if (n >= 10) expect(stopped).toBeGreaterThan(0)
  },
)
