import type { Arg } from '../options.ts'
import { ANY, isKnown } from '../paths.ts'

/** The folders of this machine that a container may write, of the values of `-v` and `--mount`. */
export const mountedFolders = (values: readonly Arg[]): Arg[] =>
  values.map((value) => value.flatMap(writtenBy)).filter((folders) => folders.length > 0)

interface Mount {
  readonly source: string
  readonly target: string
  readonly isRead: boolean
}

function writtenBy(text: string): string[] {
  const mount = /(^|,)(type|source|src)=/.test(text) ? pairs(text) : parts(text)
  if (mount === undefined) return isKnown(text) && text.startsWith('/') ? [] : [ANY]
  const { source, target, isRead } = mount
  if (isRead || isVolume(source, target)) return []
  // Whoever speaks to the daemon may mount whatever they like.
  if (source.endsWith('.sock')) return [ANY]
  return isSure(source) ? [source] : [ANY]
}

/** `type=bind,source=.,target=/app,readonly` */
function pairs(text: string): Mount {
  const value = (key: string): string => new RegExp(`(?:^|,)(?:${key})=([^,]*)`).exec(text)?.[1] ?? ''
  return {
    source: value('source|src'),
    target: value('target|destination|dst'),
    isRead: /(^|,)(readonly|ro)(=true|=1)?(,|$)/.test(text),
  }
}

/** `.:/app:ro` */
function parts(text: string): Mount | undefined {
  const [source = '', target, mode = ''] = text.split(':')
  return target === undefined ? undefined : { source, target, isRead: mode.split(',').includes('ro') }
}

/** A name is a volume of the daemon's own, and so is one without a name. */
const isVolume = (source: string, target: string): boolean => /^(\w[\w.-]*)?$/.test(source) && target.startsWith('/')

/** Of a folder elsewhere nobody knows what its links lead to, unless it is one of the system's. */
const isSure = (source: string): boolean =>
  /^\.{1,2}(\/|$)|^\/(tmp|var|etc|dev|proc|sys|run|usr|opt)(\/|$)/.test(source)
