import fc from 'fast-check'
import { expect, test } from 'vitest'
import { LayeredMap } from './layered-map.ts'

const sorted = <V>(entries: Iterable<readonly [number, V]>): (readonly [number, V])[] =>
  [...entries].sort(([a], [b]) => a - b)

test('every fork is as a copy of its own, whatever is set in it or in others', () => {
  const act = fc.record({
    at: fc.nat(5),
    key: fc.nat(20),
    value: fc.option(fc.nat(), { nil: undefined }),
    fork: fc.boolean(),
  })
  fc.assert(
    fc.property(fc.array(act, { maxLength: 200 }), (acts) => {
      const all = [{ map: new LayeredMap<number, number | undefined>(), model: new Map<number, number | undefined>() }]
      for (const { at, key, value, fork } of acts) {
        const one = all[at % all.length] as (typeof all)[0]
        one.map.set(key, value)
        one.model.set(key, value)
        if (fork) all.push({ map: one.map.fork(), model: new Map(one.model) })
      }
      for (const { map, model } of all) {
        expect(map.size).toBe(model.size)
        expect(sorted(map.entries())).toEqual(sorted(model))
        for (let key = 0; key <= 20; key++)
          expect([map.has(key), map.get(key)]).toEqual([model.has(key), model.get(key)])
      }
    }),
  )
})
