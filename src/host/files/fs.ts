import * as fs from 'node:fs'
import { bytesFromName, nameFromBytes } from '../../base/quote.ts'

/**
 * The app's file calls, synchronous and by path. Every path is a string in which bytes that are not UTF-8 are lone
 * surrogates (see base/quote.ts). Asynchronous calls per file cost several times more; code that must not block runs
 * these in a worker thread.
 */

/** The calls made for every file, as constants: in a bundle the others are looked up by name each time. */
const { closeSync, fstatSync, lstatSync, openSync, readSync } = fs

/** A path for `node:fs`: the string itself, or its exact bytes when it is not UTF-8. */
export const fsPath = (path: string): string | Buffer => (path.isWellFormed() ? path : Buffer.from(bytesFromName(path)))

export type Stat = fs.Stats
export type ExactStat = fs.BigIntStats

/** Undefined when nothing exists at the path, or the path runs through something that is not a folder. */
export function lstat(path: string): Stat | undefined {
  // By far the most frequent call: no closure and no new options object.
  try {
    return lstatSync(fsPath(path), QUIET)
  } catch (error) {
    return absentOr(error)
  }
}

/** As `lstat`, for a path that is known to be UTF-8. */
export function lstatText(path: string): Stat | undefined {
  try {
    return lstatSync(path, QUIET)
  } catch (error) {
    return absentOr(error)
  }
}

const QUIET = { throwIfNoEntry: false } as const

/** As `lstat`, but follows a link. */
export const stat = (path: string): Stat | undefined => orAbsent(() => fs.statSync(fsPath(path), QUIET))

/** As `lstat`, with times to the nanosecond. */
export function lstatExact(path: string): ExactStat | undefined {
  return orAbsent(() => fs.lstatSync(fsPath(path), { throwIfNoEntry: false, bigint: true }))
}

const SET_ID = 0o6000
const REGULAR = 0o100000
const own = process.geteuid?.()

/**
 * The permission bits. Set-uid and set-gid of a file count only where the current user owns it: a restored file belongs
 * to the current user, and must not grant others more than the original did.
 */
export function modeIn({ mode, uid }: Pick<Stat | ExactStat, 'mode' | 'uid'>): number {
  const bits = Number(mode) & 0o7777
  if ((bits & SET_ID) === 0 || (Number(mode) & 0o170000) !== REGULAR || Number(uid) === own) return bits
  return bits & ~SET_ID
}

/** A time of change, by the clock of the file's disk. */
export interface Stamp {
  readonly dev: bigint
  readonly ns: bigint
}

/**
 * The disk's time for a change made now, here to one of our own folders: later changes on that disk get no earlier
 * time. On new kernels a folder that was read (stat) just before its change gets a time of its own.
 */
export function newStamp(folder: string): Stamp | undefined {
  try {
    fs.lstatSync(fsPath(folder))
    fs.lutimesSync(fsPath(folder), new Date(), new Date())
    const { dev, ctimeNs } = fs.lstatSync(fsPath(folder), { bigint: true })
    return { dev, ns: ctimeNs }
  } catch {
    return undefined
  }
}

/** Nothing exists there, or the path runs through something that is not a folder, or in a loop. */
const ABSENT = new Set(['ENOENT', 'ENOTDIR', 'ELOOP'])

function orAbsent<T>(look: () => T | undefined): T | undefined {
  try {
    return look()
  } catch (error) {
    return absentOr(error)
  }
}

function absentOr(error: unknown): undefined {
  if (!ABSENT.has(errorCode(error) ?? '')) throw error
}

export const errorCode = (error: unknown): string | undefined => (error as NodeJS.ErrnoException | undefined)?.code

/** The names in a folder, sorted by code units. */
export function readNames(dir: string): string[] {
  const names = fs.readdirSync(fsPath(dir))
  return names.some((name) => name.includes('\ufffd')) ? exactNames(dir) : names.sort()
}

/** A replacement character may be real or stand for bytes that are not UTF-8: only the bytes show which. */
const exactNames = (dir: string): string[] =>
  fs
    .readdirSync(fsPath(dir), { encoding: 'buffer' })
    .map((bytes) => nameFromBytes(bytes))
    .sort()

/** The entries of a folder. */
export interface Listing {
  /** Sorted by code units. */
  readonly names: readonly string[]
  /** Whether it is a regular file, as far as the folder's listing shows. */
  readonly isFile: (name: string) => boolean
}

export function readFolder(dir: string): Listing {
  const entries = fs.readdirSync(fsPath(dir), { withFileTypes: true })
  if (entries.some(({ name }) => name.includes('\ufffd'))) return { names: exactNames(dir), isFile: () => false }
  // Most entries are files, so only the others are in a set. Adding a name to a set, or finding it, costs as much as a
  // stat.
  const others = new Set<string>()
  const names = entries.map((entry) => {
    if (!entry.isFile()) others.add(entry.name)
    return entry.name
  })
  return { names: names.sort(), isFile: (name) => others.size === 0 || !others.has(name) }
}

export const readLink = (path: string): string =>
  nameFromBytes(fs.readlinkSync(fsPath(path), { encoding: 'buffer' }) as unknown as Uint8Array)

const READ = fs.constants.O_RDONLY | (fs.constants.O_NOFOLLOW ?? 0) | (fs.constants.O_NONBLOCK ?? 0)
/** Opens a regular file for reading without following a symlink and without waiting on a pipe. */
export const openRead = (path: string): number => openSync(fsPath(path), READ)
/** Creates a file that must not exist yet. */
export const openNew = (path: string, mode: number): number => fs.openSync(fsPath(path), 'wx', mode)
export const openAppendNew = (path: string): number => fs.openSync(fsPath(path), 'wx', 0o600)
export const close = (fd: number): void => closeSync(fd)
export const fstat = (fd: number): Stat => fstatSync(fd)
/** As `fstat`, with times to the nanosecond; it takes several times as long. */
export const fstatExact = (fd: number): ExactStat => fstatSync(fd, { bigint: true })
/** The size of an open regular file; 0 for a pipe, a folder or a device. */
export function regularSize(fd: number): number {
  const found = fs.fstatSync(fd)
  return found.isFile() ? found.size : 0
}
export const fsync = (fd: number): void => fs.fsyncSync(fd)
export const fchmod = (fd: number, mode: number): void => fs.fchmodSync(fd, mode)

/** Reads until `length` bytes or the end; returns how many were read. */
export function readInto(
  fd: number,
  buffer: Uint8Array,
  offset: number,
  length: number,
  position: number | null,
): number {
  let done = 0
  while (done < length) {
    const got = fs.readSync(fd, buffer, offset + done, length - done, position === null ? null : position + done)
    if (got === 0) break
    done += got
  }
  return done
}

/** Reads the beginning of the file with one call: all of it, if it is smaller than the buffer. */
export const readOnce = (fd: number, buffer: Uint8Array): number => readSync(fd, buffer, 0, buffer.length, 0)

/** Writes all of `bytes` at the file's present end. */
export function writeAll(fd: number, bytes: Uint8Array): void {
  let done = 0
  while (done < bytes.length) done += fs.writeSync(fd, bytes, done, bytes.length - done)
}

/** Writes over the beginning of an open file. */
export const rewrite = (fd: number, bytes: Uint8Array): void => void fs.writeSync(fd, bytes, 0, bytes.length, 0)

/** The whole file, or undefined when there is none. */
export const readFile = (path: string): Buffer | undefined => orAbsent(() => fs.readFileSync(fsPath(path)))

/** The whole file, which must exist. Does not follow a link. */
export function readUnlinked(path: string): Buffer {
  const fd = openRead(path)
  try {
    return fs.readFileSync(fd)
  } finally {
    close(fd)
  }
}

/**
 * As `readFile`, for a regular file of at most `largest` bytes. Undefined for anything else: reading a pipe would wait
 * for its writer, and a file of size 0 may have no end.
 */
export function readRegular(path: string, largest: number): Buffer | undefined {
  let fd: number | undefined
  try {
    if (!stat(path)?.isFile()) return undefined
    fd = openSync(fsPath(path), fs.constants.O_RDONLY | (fs.constants.O_NONBLOCK ?? 0))
    const found = fstatSync(fd)
    if (!found.isFile() || found.size > largest) return undefined
    const bytes = Buffer.allocUnsafe(found.size + 1)
    const got = readInto(fd, bytes, 0, bytes.length, 0)
    return got > found.size ? undefined : bytes.subarray(0, got)
  } catch {
    return undefined
  } finally {
    if (fd !== undefined) closeSync(fd)
  }
}

export const appendFile = (path: string, text: string, mode: number): void =>
  fs.appendFileSync(fsPath(path), text, { mode })
/** Overwrites bytes at a position of an existing file; needs no free space on most disks. */
export function overwrite(path: string, at: number, text: string): void {
  const fd = fs.openSync(fsPath(path), 'r+')
  try {
    fs.writeSync(fd, text, at)
  } finally {
    fs.closeSync(fd)
  }
}

/** The next bytes of standard input; undefined at its end. */
export function readStandardInput(): Buffer | undefined {
  const bytes = Buffer.alloc(65_536)
  for (;;) {
    try {
      const length = fs.readSync(0, bytes)
      return length === 0 ? undefined : bytes.subarray(0, length)
    } catch (error) {
      if (errorCode(error) === 'EOF') return undefined
      if (errorCode(error) !== 'EAGAIN') throw error
      // Standard input is non-blocking and its writer has nothing ready: wait and try again.
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
  }
}

export const makeDir = (path: string, mode = 0o777): void => fs.mkdirSync(fsPath(path), { mode })
export const removeDir = (path: string): void => fs.rmdirSync(fsPath(path))
export const removeFile = (path: string): void => fs.unlinkSync(fsPath(path))
/** Removes whatever is there, folders recursively; does nothing when nothing is there. */
export const removeAll = (path: string): void => fs.rmSync(fsPath(path), { recursive: true, force: true })
export const rename = (from: string, to: string): void => fs.renameSync(fsPath(from), fsPath(to))
export const hardLink = (from: string, to: string): void => fs.linkSync(fsPath(from), fsPath(to))
export const makeLink = (target: string, path: string): void => fs.symlinkSync(fsPath(target), fsPath(path))
export const chmod = (path: string, mode: number): void => fs.chmodSync(fsPath(path), mode)
export const realPath = (path: string): string => fs.realpathSync.native(path)

/**
 * Sets the modification time to the microsecond.
 *
 * The call takes seconds as a floating-point number, too coarse for nanoseconds; half a
 * microsecond is added so that cutting off its digits cannot fall below the wanted one.
 */
export const setTime = (path: string, micros: number): void =>
  fs.lutimesSync(fsPath(path), seconds(micros), seconds(micros))
/** As `setTime`, but follows a link. */
export const setTimeBehind = (path: string, micros: number): void =>
  fs.utimesSync(fsPath(path), seconds(micros), seconds(micros))
export const setTimeOf = (fd: number, micros: number): void => fs.futimesSync(fd, seconds(micros), seconds(micros))
/** As text: Node takes a negative number for "now". Exact until the year 2242, when a double runs out of digits. */
const seconds = (micros: number): string => String((micros + 0.5) / 1e6)

/** Nanoseconds as whole microseconds, rounded down. */
export const microsOf = (ns: bigint): number => Number(ns >= 0n ? ns / 1000n : (ns - 999n) / 1000n)
/** As `microsOf`, from a plain stat's milliseconds; undefined where rounding leaves two possible values. */
export function microsIn(millis: number): number | undefined {
  if (millis < 0 || millis >= PRECISE_BELOW_MS) return undefined
  const whole = Math.floor(millis)
  const micros = (millis - whole) * 1000
  const rest = micros - Math.floor(micros)
  return rest < ROUNDING || rest > 1 - ROUNDING ? undefined : whole * 1000 + Math.floor(micros)
}
/** Until 2039, milliseconds in a double are exact to an eighth of a microsecond. */
const PRECISE_BELOW_MS = 2 ** 41
const ROUNDING = 0.125

/** Nanoseconds as the same floating-point milliseconds that a plain stat gives. */
export const millisOf = (ns: bigint): number => Number(ns / 1_000_000_000n) * 1000 + Number(ns % 1_000_000_000n) / 1e6

/** Copies a file durably. The target must not exist, not even as a link. */
export function copyFile(from: string, to: string): void {
  fs.copyFileSync(fsPath(from), fsPath(to), fs.constants.COPYFILE_EXCL)
  const fd = fs.openSync(fsPath(to), 'r+')
  fs.fsyncSync(fd)
  fs.closeSync(fd)
}

/** Renames, or copies where the target is on another disk. The target must not exist; no link is followed. */
export function moveFile(from: string, to: string): void {
  try {
    rename(from, to)
  } catch (error) {
    if (errorCode(error) !== 'EXDEV') throw error
    if (lstat(from)?.isSymbolicLink()) makeLink(readLink(from), to)
    else copyInto(openRead(from), openNew(to, 0o600))
    removeFile(from)
  }
}

/** Closes both descriptors. Durable when it returns. */
function copyInto(from: number, to: number): void {
  try {
    const bytes = Buffer.allocUnsafe(1024 * 1024)
    for (let got = 1; got > 0; ) {
      got = fs.readSync(from, bytes, 0, bytes.length, null)
      writeAll(to, bytes.subarray(0, got))
    }
    fsync(to)
  } finally {
    close(from)
    close(to)
  }
}

/** The size of a file; 0 when it does not exist. */
export const fileSize = (path: string): number => lstat(path)?.size ?? 0

/** Bytes free to this user on the disk of `path`. */
export function freeBytes(path: string): number {
  const { bavail, bsize } = fs.statfsSync(path)
  return bavail * bsize
}

/** The system's number for the type of the file system at `path`; 0 when unknown. */
export function fileSystemType(path: string): number {
  try {
    return fs.statfsSync(path).type >>> 0
  } catch {
    return 0
  }
}
