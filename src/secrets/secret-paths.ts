import ignore from 'ignore'
import { lazily } from '../base/lazily.ts'
import type { Config } from '../schema/config.ts'

/** Decides whether a path of a workspace belongs to a file with secrets. */
export type IsSecretPath = (path: string) => boolean

const ready = new WeakMap<readonly string[], IsSecretPath>()

/** Decides by the setting `secrets.paths`: gitignore patterns, case-insensitive. */
export function secretPaths({ secrets }: Pick<Config, 'secrets'>): IsSecretPath {
  const known = ready.get(secrets.paths)
  if (known) return known
  const matcher = lazily(() => ignore({ allowRelativePaths: true }).add([...secrets.paths]))
  const isSecret: IsSecretPath = (path) => {
    const plain = path.replace(/^(?:\.?\/)+/, () => '')
    return plain !== '' && matcher().ignores(plain)
  }
  ready.set(secrets.paths, isSecret)
  return isSecret
}
