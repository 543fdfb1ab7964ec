/**
 * The paths of folders that are called by their descriptors: what the system says of `/proc/self/fd/N/name` means nothing
 * to people. A descriptor's last path stays known after it is closed, for what is said comes later.
 */
const names = new Map<number, string>()

/** Remembers which folder a descriptor is. */
export const nameDescriptor = (fd: number, path: string): void => void names.set(fd, path)

/** The text with paths that people know. */
export const plainNames = (text: string): string =>
  text.replace(/\/proc\/self\/fd\/(\d+)/g, (call, fd: string) => names.get(Number(fd)) ?? call)

/** The same error about paths that people know. */
export function withPlainNames(error: Error): Error {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: unknown }
  if (error.message.includes(CALL)) error.message = plainNames(error.message)
  if (typeof path === 'string' && path.startsWith(CALL)) Object.assign(error, { path: plainNames(path) })
  if (typeof dest === 'string' && dest.startsWith(CALL)) Object.assign(error, { dest: plainNames(dest) })
  return error
}

const CALL = '/proc/self/fd/'
