import { bytesFromName } from '../../base/quote.ts'
import { sleepSync } from '../../host/clock.ts'
import {
  close,
  type ExactStat,
  errorCode,
  fstat,
  fstatExact,
  lstatExact,
  microsIn,
  microsOf,
  millisOf,
  modeIn,
  openRead,
  readInto,
  readLink,
  readOnce,
  type Stat,
} from '../../host/files/fs.ts'
import { newHash, sha256 } from '../../host/hash.ts'
import { point } from '../../host/points.ts'
import type { SkipReason } from '../../schema/skip.ts'
import { type Chunk, encodeList } from '../../store/chunk-list.ts'
import { CHUNK, CHUNKED_ABOVE, cutAt } from '../../store/chunker.ts'
import { OBJECT, type ObjectKind } from '../../store/store.ts'
import { KIND } from '../../store/tree.ts'

/**
 * Reads a file so that the bytes taken are those it held at one moment.
 *
 * The kernel stamps changes with a clock that ticks every few milliseconds. A file that changed within the tick in
 * which it is read could change again without its times showing it. So a file is read only when its last change is
 * older than a tick, and is read again when its times differ afterwards. Then nothing was written in between, and any
 * later change will show.
 */
const TICK_MS = 12
/** The tick of file systems that store whole seconds. */
const COARSE_TICK_MS = 2000
const TRIES = 5
/** A single write of more bytes may take so long that its event arrives only after the file was read. */
const SWIFT_BYTES = 256n * 1024n

/** Receives the contents that a scan reads. */
export interface ContentSink {
  /**
   * Stores the bytes unless the store has them. The caller reuses the buffer afterwards, so the sink must copy what it
   * keeps.
   */
  take(hash: Uint8Array, kind: ObjectKind, bytes: Uint8Array): void
}

export type ReadOutcome =
  | {
      readonly kind: typeof KIND.file | typeof KIND.symlink
      readonly mode: number
      readonly size: number
      readonly mtime: number
      readonly sigM: number
      /** NaN when the times cannot be trusted to show the next change. */
      readonly sigC: number
      readonly ino: number
      readonly hash: Uint8Array
      /** Whether the file has other hard links, through which it may change. */
      readonly linked: boolean
    }
  | { readonly skip: SkipReason }
  /** The path is gone or is no longer what was expected: list the folder again. */
  | 'moved'

let buffer = Buffer.allocUnsafe(1024 * 1024)

/**
 * The content of a file at the last scan, given only if its size, inode and modification time have not changed since.
 */
export interface KnownContent {
  readonly size: number
  readonly hash: Uint8Array
}

/**
 * Reads a file into the sink. Without `patient`, a file that has just changed is read at once: the caller checks by its
 * events whether the file changed meanwhile. A file that still holds its `known` content is not waited for either,
 * because no process is in the middle of writing it.
 */
export function takeFile(
  path: string,
  maxBytes: number,
  sink: ContentSink,
  patient = true,
  known?: KnownContent,
): ReadOutcome {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const taken = tryFile(path, maxBytes, sink, patient, attempt < TRIES - 1, attempt === 0 ? known : undefined)
    if (taken !== undefined) return taken
  }
  return { skip: 'busy' }
}

/**
 * The fast path for a file that has not changed recently: it is read first and examined once, afterwards. Its last
 * change is more than a tick older than `since`, so no change fell into the reading. Undefined when the slow path is
 * needed. `since` is a time before the call; the caller makes sure that the clock did not jump meanwhile.
 */
export function takeStillFile(
  path: string,
  since: number,
  maxBytes: number,
  sink: ContentSink,
): ReadOutcome | undefined {
  let fd: number
  try {
    fd = openRead(path)
  } catch {
    return undefined
  }
  try {
    const length = readOnce(fd, buffer)
    const stat = fstat(fd)
    const mtime = microsIn(stat.mtimeMs) ?? microsAs(stat, fstatExact(fd))
    const isStill =
      mtime !== undefined && stat.isFile() && stat.size === length && since - stat.ctimeMs > tickOf(stat.ctimeMs)
    if (!isStill || length > Math.min(maxBytes, CHUNKED_ABOVE)) return undefined
    const bytes = buffer.subarray(0, length)
    const hash = sha256(bytes)
    sink.take(hash, OBJECT.blob, bytes)
    return {
      kind: KIND.file,
      mode: modeIn(stat),
      size: length,
      mtime,
      sigM: stat.mtimeMs,
      sigC: stat.ctimeMs,
      ino: stat.ino,
      hash,
      linked: stat.nlink > 1,
    }
  } catch (error) {
    if (errorCode(error) === undefined) throw error
    return undefined
  } finally {
    close(fd)
  }
}

/** Undefined when the file changed between the two calls of stat. */
const microsAs = (stat: Stat, exact: ExactStat): number | undefined =>
  millisOf(exact.mtimeNs) === stat.mtimeMs && millisOf(exact.ctimeNs) === stat.ctimeMs
    ? microsOf(exact.mtimeNs)
    : undefined

const asTaken = (stat: ExactStat, hash: Uint8Array, sigC: number): ReadOutcome => ({
  kind: KIND.file,
  mode: modeIn(stat),
  size: Number(stat.size),
  mtime: microsOf(stat.mtimeNs),
  sigM: millisOf(stat.mtimeNs),
  sigC,
  ino: Number(stat.ino),
  hash,
  linked: stat.nlink > 1n,
})

/** Undefined when the file changed while it was read. */
function tryFile(
  path: string,
  maxBytes: number,
  sink: ContentSink,
  patient: boolean,
  strict: boolean,
  known: KnownContent | undefined,
): ReadOutcome | undefined {
  let fd: number
  try {
    fd = openRead(path)
  } catch (error) {
    return refused(error)
  }
  try {
    return (known && stillHolding(fd, maxBytes, sink, known)) ?? readOpen(fd, maxBytes, sink, patient, strict)
  } catch (error) {
    if (errorCode(error) === 'EIO' || errorCode(error) === 'EISDIR') return { skip: 'unreadable' }
    throw error
  } finally {
    close(fd)
  }
}

function refused(error: unknown): ReadOutcome {
  const code = errorCode(error)
  if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ELOOP') return 'moved'
  if (code === 'EACCES' || code === 'EPERM' || code === 'EIO' || code === 'ENXIO' || code === 'ENAMETOOLONG')
    return { skip: 'unreadable' }
  if (code === 'ETXTBSY' || code === 'EBUSY') return { skip: 'busy' }
  throw error
}

/**
 * A recently changed file that holds, byte for byte, its known content. Its change time is not relied on (NaN): a
 * change from now on may not show in it. Undefined when the content differs, or the slow path is needed anyway.
 */
function stillHolding(fd: number, maxBytes: number, sink: ContentSink, known: KnownContent): ReadOutcome | undefined {
  const stat = fstatExact(fd)
  const { size } = known
  if (!stat.isFile() || Number(stat.size) !== size || size > Math.min(maxBytes, CHUNKED_ABOVE) || isOld(stat))
    return undefined
  const hash = readWhole(fd, size)
  if (hash === undefined || Buffer.compare(hash, known.hash) !== 0 || !sameState(stat, fstatExact(fd))) return undefined
  sink.take(hash, OBJECT.blob, buffer.subarray(0, size))
  return asTaken(stat, hash, Number.NaN)
}

function readOpen(
  fd: number,
  maxBytes: number,
  sink: ContentSink,
  patient: boolean,
  strict: boolean,
): ReadOutcome | undefined {
  point('read:begun')
  let before = fstatExact(fd)
  if (!before.isFile()) return 'moved'
  if ((patient || before.size > SWIFT_BYTES) && waitForTick(before)) {
    before = fstatExact(fd)
    // The file was written again during the wait: a process may be in the middle of writing it.
    if (strict && !isOld(before)) return undefined
  }
  const size = Number(before.size)
  if (size > maxBytes) return { skip: 'oversized' }
  const hash = size > CHUNKED_ABOVE ? readChunks(fd, size, sink) : readWhole(fd, size)
  point('read:between')
  if (hash === undefined) return undefined
  const after = fstatExact(fd)
  if (!sameState(before, after)) return undefined
  if (size <= CHUNKED_ABOVE) sink.take(hash, OBJECT.blob, buffer.subarray(0, size))
  return asTaken(before, hash, isOld(before) ? millisOf(before.ctimeNs) : Number.NaN)
}

function readWhole(fd: number, size: number): Buffer | undefined {
  if (buffer.length < size + 1) buffer = Buffer.allocUnsafe(size + 1)
  return readInto(fd, buffer, 0, size + 1, 0) === size ? sha256(buffer.subarray(0, size)) : undefined
}

/**
 * Stores chunks as they are read. If the file turns out to have changed, they stay in the store without a reference.
 */
function readChunks(fd: number, size: number, sink: ContentSink): Buffer | undefined {
  const window = Buffer.allocUnsafe(CHUNK.max)
  const whole = newHash()
  const chunks: Chunk[] = []
  for (let at = 0; at < size; ) {
    const got = readInto(fd, window, 0, Math.min(CHUNK.max, size - at), at)
    if (got < Math.min(CHUNK.max, size - at)) return undefined
    point('read:chunk')
    const bytes = window.subarray(0, cutAt(window.subarray(0, got)))
    const hash = sha256(bytes)
    whole.update(bytes)
    sink.take(hash, OBJECT.blob, bytes)
    chunks.push({ hash, size: bytes.length })
    at += bytes.length
  }
  const hash = whole.digest()
  sink.take(hash, OBJECT.list, encodeList(chunks))
  return hash
}

const sameState = (a: ExactStat, b: ExactStat): boolean =>
  a.size === b.size && a.mtimeNs === b.mtimeNs && a.ctimeNs === b.ctimeNs && a.mode === b.mode

/** A fine-grained time that happens to be a whole second is treated as a coarse one. */
const tickOf = (ctimeMs: number): number => (ctimeMs % 1000 === 0 ? COARSE_TICK_MS : TICK_MS)
const ageOf = (stat: ExactStat): number => Date.now() - millisOf(stat.ctimeNs)

/** Whether any change from now on must show in the change time. A change time in the future proves nothing. */
function isOld(stat: ExactStat): boolean {
  return ageOf(stat) > tickOf(millisOf(stat.ctimeNs))
}

/** Sleeps until the tick in which the file changed is over. Returns whether it slept. */
function waitForTick(stat: ExactStat): boolean {
  const age = ageOf(stat)
  if (age > TICK_MS || age < -TICK_MS) return false
  sleepSync(TICK_MS - age + 1)
  return true
}

export function takeLink(path: string, sink: ContentSink, patient = true): ReadOutcome {
  for (let attempt = 0; attempt < TRIES; attempt++) {
    const before = lstatExact(path)
    if (!before?.isSymbolicLink()) return 'moved'
    if (patient && waitForTick(before)) continue
    const target = readTarget(path)
    if (typeof target === 'string') return target === 'moved' ? 'moved' : { skip: 'unreadable' }
    const after = lstatExact(path)
    if (!after || !sameState(before, after)) continue
    const hash = sha256(target)
    sink.take(hash, OBJECT.blob, target)
    return {
      kind: KIND.symlink,
      mode: 0o777,
      size: target.length,
      mtime: microsOf(before.mtimeNs),
      sigM: millisOf(before.mtimeNs),
      sigC: isOld(before) ? millisOf(before.ctimeNs) : Number.NaN,
      ino: Number(before.ino),
      hash,
      linked: before.nlink > 1n,
    }
  }
  return { skip: 'busy' }
}

function readTarget(path: string): Uint8Array | 'moved' | 'unreadable' {
  try {
    return bytesFromName(readLink(path))
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'EINVAL' || code === 'ENOTDIR') return 'moved'
    if (code === 'EACCES') return 'unreadable'
    throw error
  }
}
