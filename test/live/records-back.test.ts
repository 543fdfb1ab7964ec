import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, test } from 'vitest'
import { newWarm } from './warm.ts'

test('a state in memory is not believed when the records no longer have what it refers to', async () => {
  const live = newWarm({ a: 'one', 'sub/b': 'one' })
  const { snapshot_id } = await live.warm()
  live.workspace.write({ a: 'two', 'sub/b': 'two' })
  const lost = await live.warm()
  // The records as they were before it, as if an older copy had been put in their place.
  const db = new DatabaseSync(join(live.workspace.home, 'timewarp.db'))
  const young = 'SELECT block FROM objects WHERE hash = (SELECT object FROM snapshots WHERE id = ?)'
  const { pack } = db.prepare(`SELECT pack FROM blocks WHERE id = (${young})`).get(lost.snapshot_id) as { pack: number }
  for (const table of ['young', 'settled'])
    db.prepare(`DELETE FROM ${table} WHERE block IN (SELECT id FROM blocks WHERE pack = ?)`).run(pack)
  db.prepare('DELETE FROM blocks WHERE pack = ?').run(pack)
  db.prepare('DELETE FROM packs WHERE id = ?').run(pack)
  db.prepare('DELETE FROM changes WHERE seq = (SELECT seq FROM snapshots WHERE id = ?)').run(lost.snapshot_id)
  db.prepare('DELETE FROM snapshots WHERE id = ?').run(lost.snapshot_id)
  db.close()

  live.workspace.write({ c: 'three' })
  const next = await live.warm()
  expect(next).toMatchObject({ created: true, base: snapshot_id, added: 1, modified: 2 })
  for (const [path, content] of Object.entries({ a: 'two', 'sub/b': 'two', c: 'three' })) {
    const { output } = await live.daemon.call('cat', {
      workspace: live.workspace.root,
      snapshot_id: next.snapshot_id,
      path,
    })
    expect(output).toMatchObject({ content })
  }
})
