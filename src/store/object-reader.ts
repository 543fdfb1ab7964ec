import { join } from 'node:path'
import { Fault } from '../base/fault.ts'
import { close, errorCode, openRead, readInto, writeAll } from '../host/files/fs.ts'
import { keyOf, newHash, sha256, toHex } from '../host/hash.ts'
import { decodeList } from './chunk-list.ts'
import type { ObjectIndex } from './object-index.ts'
import { decodePayload } from './pack-format.ts'
import { OBJECT, type ObjectLocation } from './store.ts'

const CACHE_BYTES = 16 * 1024 * 1024
/** Every capture makes a pack: what is kept open of them is kept from whoever else needs descriptors. */
const OPEN_FILES = 16
/** More than this at once would push out too much. */
const REMEMBERED_BYTES = CACHE_BYTES / 4

/** Reads objects back, each verified by its hash. Bytes that do not match are never given out. */
export class ObjectReader {
  readonly #dir: string
  readonly #index: ObjectIndex
  readonly #files = new Map<string, number>()
  /** Payloads lately unpacked, the oldest first. */
  readonly #blocks = new Map<string, Uint8Array>()
  /** Payloads that are one object, with its hash: what was verified and is still in memory is not verified again. */
  readonly #sound = new WeakMap<Uint8Array, string>()
  #cached = 0

  constructor(dir: string, index: ObjectIndex) {
    this.#dir = dir
    this.#index = index
  }

  /** The stored bytes of an object: for a chunked file its list. */
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
   * Those whose content cannot be read back whole, by their keys. Read in the order in which they are stored, so that each
   * block is unpacked once.
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

  /** The content: chunks put together and verified as a whole. */
  get(hash: Uint8Array): Buffer {
    const { kind, bytes } = this.raw(hash)
    if (kind !== OBJECT.list) return bytes
    const whole = Buffer.concat(decodeList(bytes).map((chunk) => this.raw(chunk.hash).bytes))
    if (!sha256(whole).equals(hash)) throw this.#damaged(hash, this.#find(hash))
    return whole
  }

  /** Writes the content to an open file, chunk by chunk, and fails before the end is told if the whole does not match. */
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
   * Keeps in memory what has just been stored and is about to be read, if it is an object of its own: `bytes` are what
   * `hash` was made of, and nobody changes them any more.
   */
  remember(hash: Uint8Array, bytes: Uint8Array): void {
    const place = bytes.length > REMEMBERED_BYTES ? undefined : this.#index.find(hash)
    if (place?.start !== 0 || place.raw !== bytes.length || this.#blocks.has(blockKey(place))) return
    this.#sound.set(bytes, keyOf(hash))
    this.#keep(blockKey(place), bytes)
  }

  /** Unpacks what is about to be read, as far as there is room. What cannot be read is told to whoever reads it. */
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

  /** Lets go of the packs: an open file takes up space even after a merge has removed it. */
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
    // A list is named by the content it stands for; whoever joins its chunks verifies that.
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
   * The place, its pack open. A collection may have moved the object to another pack since it was
   * looked up and removed the old one: then it is looked up again.
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

/** Where a block is says what it holds, for ever: rows may be made anew under other numbers. */
const blockKey = ({ pack, offset }: ObjectLocation): string => `${pack}:${offset}`

/** What keeping some bytes keeps in memory: all of the piece they are a part of, and what goes with each piece. */
const costOf = (bytes: Uint8Array): number => bytes.buffer.byteLength + PIECE_BYTES
const PIECE_BYTES = 4096
