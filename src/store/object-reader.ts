import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { close, errorCode, openRead, readInto, writeAll } from '../host/files/fs.ts'
import { keyOf, newHash, sha256, toHex } from '../host/hash.ts'
import { decodeList } from './chunk-list.ts'
import type { ObjectIndex } from './object-index.ts'
import { decodePayload } from './pack-format.ts'
import { OBJECT, type ObjectLocation } from './store.ts'

const CACHE_BYTES = 16 * 1024 * 1024
/** Each capture writes a pack; this limits the descriptors that open packs take. */
const OPEN_FILES = 16
/** Larger objects are not cached: one would evict too many others. */
const REMEMBERED_BYTES = CACHE_BYTES / 4

/** Reads objects and verifies each against its hash. Bytes that do not match are never returned. */
export class ObjectReader {
  readonly #dir: string
  readonly #index: ObjectIndex
  readonly #files = new Map<string, number>()
  /** A cache of unpacked payloads, the least recently used first. */
  readonly #blocks = new Map<string, Uint8Array>()
  /** Payloads that consist of one verified object, with its hash: while they are cached they are not verified again. */
  readonly #sound = new WeakMap<Uint8Array, string>()
  #cached = 0

  constructor(dir: string, index: ObjectIndex) {
    this.#dir = dir
    this.#index = index
  }

  /** The stored bytes of an object; for a chunked file, its chunk list. */
  raw(hash: Uint8Array): { kind: number; bytes: Buffer } {
    const place = this.#find(hash)
    return { kind: place.kind, bytes: this.#verified(hash, this.#present(hash, place)) }
  }

  /** Whether the stored bytes are there and sound. */
  isReadable(hash: Uint8Array): boolean {
    try {
      this.raw(hash)
      return true
    } catch {
      return false
    }
  }

  /**
   * The keys of those whose content cannot be read completely. Reads in storage order, so that each block is unpacked
   * once.
   */
  unreadable(hashes: Iterable<Uint8Array>): Set<string> {
    const wanted = new Map([...hashes].map((hash) => [keyOf(hash), { hash, place: this.#index.find(hash) }]))
    const lost = new Set([...wanted].filter(([, { place }]) => place === undefined).map(([key]) => key))
    const stored = [...wanted].flatMap(([key, { hash, place }]) => (place ? [{ key, hash, place }] : []))
    stored.sort((a, b) =>
      a.place.pack === b.place.pack ? a.place.offset - b.place.offset : a.place.pack < b.place.pack ? -1 : 1,
    )
    for (const { key, hash, place } of stored) if (!this.#isWhole(hash, place)) lost.add(key)
    return lost
  }

  #isWhole(hash: Uint8Array, place: ObjectLocation): boolean {
    try {
      const bytes = this.#verified(hash, this.#present(hash, place))
      if (place.kind !== OBJECT.list) return true
      const whole = newHash()
      for (const chunk of decodeList(bytes)) whole.update(this.raw(chunk.hash).bytes)
      return whole.digest().equals(hash)
    } catch {
      return false
    }
  }

  /** The content: chunks are joined and verified as a whole. */
  get(hash: Uint8Array): Buffer {
    const { kind, bytes } = this.raw(hash)
    if (kind !== OBJECT.list) return bytes
    const whole = Buffer.concat(decodeList(bytes).map((chunk) => this.raw(chunk.hash).bytes))
    if (!sha256(whole).equals(hash)) throw this.#damaged(hash, this.#find(hash))
    return whole
  }

  /**
   * Writes the content to an open file, chunk by chunk, and returns its size. Throws if the whole does not match the
   * hash; chunks may then already be written.
   */
  copyTo(fd: number, hash: Uint8Array): number {
    const { kind, bytes } = this.raw(hash)
    if (kind !== OBJECT.list) {
      writeAll(fd, bytes)
      return bytes.length
    }
    const whole = newHash()
    let size = 0
    for (const chunk of decodeList(bytes)) {
      const part = this.raw(chunk.hash).bytes
      whole.update(part)
      writeAll(fd, part)
      size += part.length
    }
    if (!whole.digest().equals(hash)) throw this.#damaged(hash, this.#find(hash))
    return size
  }

  /**
   * Caches bytes that were just stored and will be read soon, if they are an object of their own. `bytes` must hash to
   * `hash`, and the caller must not change them afterwards.
   */
  remember(hash: Uint8Array, bytes: Uint8Array): void {
    const place = bytes.length > REMEMBERED_BYTES ? undefined : this.#index.find(hash)
    if (place?.start !== 0 || place.raw !== bytes.length || this.#blocks.has(blockKey(place))) return
    this.#sound.set(bytes, keyOf(hash))
    this.#keep(blockKey(place), bytes)
  }

  /**
   * Unpacks objects that will be read soon, as far as the cache has space. Stops silently at an object that cannot be
   * read: the read itself will fail.
   */
  prepare(hashes: Iterable<Uint8Array>): void {
    let ctx = REMEMBERED_BYTES
    for (const hash of hashes) {
      const place = this.#index.find(hash)
      if (place === undefined || (ctx -= place.raw) < 0) return
      try {
        this.#payload(hash, this.#present(hash, place))
      } catch {
        return
      }
    }
  }

  /** Closes the packs: an open file takes up disk space even after a merge has removed it. */
  closeFiles(): void {
    for (const fd of this.#files.values()) close(fd)
    this.#files.clear()
  }

  close(): void {
    this.closeFiles()
    this.#blocks.clear()
    this.#cached = 0
  }

  #find(hash: Uint8Array): ObjectLocation {
    const place = this.#index.find(hash)
    if (place === undefined) throw new Fault('OBJECT_MISSING', { id: toHex(hash) })
    return place
  }

  #verified(hash: Uint8Array, place: ObjectLocation): Buffer {
    const payload = this.#payload(hash, place)
    const bytes = Buffer.from(payload.buffer, payload.byteOffset + place.start, place.size)
    // A list is named by the hash of the whole content; the code that joins its chunks verifies that.
    if (place.kind === OBJECT.list || this.#sound.get(payload) === keyOf(hash)) return bytes
    if (!sha256(bytes).equals(hash)) throw this.#damaged(hash, place)
    if (bytes.length === payload.length) this.#sound.set(payload, keyOf(hash))
    return bytes
  }

  #payload(hash: Uint8Array, place: ObjectLocation): Uint8Array {
    const key = blockKey(place)
    const cached = this.#blocks.get(key)
    const payload = cached ?? this.#unpack(hash, place)
    if (payload.length < place.start + place.size) throw this.#damaged(hash, place)
    this.#keep(key, payload)
    return payload
  }

  #keep(key: string, payload: Uint8Array): void {
    if (!this.#blocks.delete(key)) this.#cached += costOf(payload)
    this.#blocks.set(key, payload)
    this.#forgetOldest(key)
  }

  #stored(hash: Uint8Array, place: ObjectLocation): Buffer {
    const stored = Buffer.allocUnsafe(place.stored)
    const fd = this.#open(place.pack)
    if (readInto(fd, stored, 0, place.stored, place.offset + place.head) < place.stored)
      throw this.#damaged(hash, place)
    return stored
  }

  /**
   * The place of an object whose pack is open. A collection may have moved the object to another pack and removed the
   * old pack since the lookup: then it looks the object up again.
   */
  #present(hash: Uint8Array, place: ObjectLocation): ObjectLocation {
    if (this.#blocks.has(blockKey(place)) || this.#tryOpen(place.pack)) return place
    const again = this.#find(hash)
    if (again.pack !== place.pack && this.#tryOpen(again.pack)) return again
    throw new Fault('OBJECT_MISSING', { id: toHex(hash) })
  }

  #tryOpen(pack: string): boolean {
    try {
      this.#open(pack)
      return true
    } catch (error) {
      if (errorCode(error) === 'ENOENT') return false
      throw error
    }
  }

  #open(pack: string): number {
    const known = this.#files.get(pack)
    if (known !== undefined) return known
    if (this.#files.size >= OPEN_FILES) this.#forgetFile()
    const fd = openRead(join(this.#dir, pack))
    this.#files.set(pack, fd)
    return fd
  }

  #forgetFile(): void {
    const first = this.#files.entries().next().value
    if (!first) return
    close(first[1])
    this.#files.delete(first[0])
  }

  #unpack(hash: Uint8Array, place: ObjectLocation): Uint8Array {
    const stored = this.#stored(hash, place)
    try {
      return decodePayload(place.codec, stored, place.raw)
    } catch (error) {
      throw this.#damaged(hash, place, error)
    }
  }

  #forgetOldest(newest: string): void {
    for (const [oldest, bytes] of this.#blocks) {
      if (this.#cached <= CACHE_BYTES || oldest === newest) break
      this.#blocks.delete(oldest)
      this.#cached -= costOf(bytes)
    }
  }

  #damaged(hash: Uint8Array, place: ObjectLocation, cause?: unknown): Fault {
    return new Fault('OBJECT_DAMAGED', { id: toHex(hash), pack: place.pack }, { cause })
  }
}

/**
 * Pack and offset identify a block's contents for ever; row ids do not, because rows may be inserted again under other
 * ids.
 */
const blockKey = ({ pack, offset }: ObjectLocation): string => `${pack}:${offset}`

/** The memory that a cached slice holds: its whole underlying buffer, and the overhead of each buffer. */
const costOf = (bytes: Uint8Array): number => bytes.buffer.byteLength + PIECE_BYTES
const PIECE_BYTES = 4096
