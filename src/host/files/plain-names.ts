/**
 * The paths of folders that are addressed by descriptor, because `/proc/self/fd/N/name` in a message means nothing to
 * people. A descriptor's last path stays known after it is closed: messages are made later.
 */
const names = new Map<number, string>()

/** Records the path of a descriptor. */
export const nameDescriptor = (fd: number, path: string): void => void names.set(fd, path)

/** Replaces descriptor names in a text by plain paths. */
export const plainNames = (text: string): string =>
  text.replace(/\/proc\/self\/fd\/(\d+)/g, (call, fd: string) => names.get(Number(fd)) ?? call)

/** Replaces descriptor names in an error by plain paths. */
export function withPlainNames(error: Error): Error {
  const { path, dest } = error as NodeJS.ErrnoException & { dest?: unknown }
  if (error.message.includes(CALL)) error.message = plainNames(error.message)
  if (typeof path === 'string' && path.startsWith(CALL)) Object.assign(error, { path: plainNames(path) })
  if (typeof dest === 'string' && dest.startsWith(CALL)) Object.assign(error, { dest: plainNames(dest) })
  return error
}

const CALL = '/proc/self/fd/'
