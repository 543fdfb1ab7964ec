/**
 * A map whose fork costs only what was set since the last fork. Both forks share the older layers, which never change
 * again; later changes are private to each.
 */
export class LayeredMap<K, V> {
  /** The newest first. Each layer is at least twice as large as the one before it, so there are few. */
  #shared: readonly ReadonlyMap<K, V>[] = []
  #own = new Map<K, V>()
  #size = 0

  fork(): LayeredMap<K, V> {
    this.#share()
    const copy = new LayeredMap<K, V>()
    copy.#shared = this.#shared
    copy.#size = this.#size
    return copy
  }

  #share(): void {
    if (this.#own.size === 0) return
    const layers: ReadonlyMap<K, V>[] = [this.#own, ...this.#shared]
    for (let [upper, lower] = layers; upper && lower && 2 * upper.size > lower.size; [upper, lower] = layers)
      layers.splice(0, 2, laidOver(lower, upper))
    this.#shared = layers
    this.#own = new Map()
  }

  get(key: K): V | undefined {
    return this.#layerOf(key)?.get(key)
  }

  has(key: K): boolean {
    return this.#layerOf(key) !== undefined
  }

  #layerOf(key: K): ReadonlyMap<K, V> | undefined {
    if (this.#own.has(key)) return this.#own
    for (const layer of this.#shared) if (layer.has(key)) return layer
    return undefined
  }

  set(key: K, value: V): void {
    if (!this.has(key)) this.#size++
    this.#own.set(key, value)
  }

  get size(): number {
    return this.#size
  }

  /** In no particular order. */
  *entries(): Generator<readonly [K, V]> {
    const layers = [this.#own, ...this.#shared]
    for (const layer of layers) for (const entry of layer) if (this.#layerOf(entry[0]) === layer) yield entry
  }

  *keys(): Generator<K> {
    for (const [key] of this.entries()) yield key
  }
}

function laidOver<K, V>(lower: ReadonlyMap<K, V>, upper: ReadonlyMap<K, V>): Map<K, V> {
  const both = new Map(lower)
  for (const [key, value] of upper) both.set(key, value)
  return both
}
