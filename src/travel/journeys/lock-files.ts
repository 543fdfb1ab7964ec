import { nameOf, type RelPath } from '../../schema/path.ts'

/** Files that pin the installed dependencies. */
const LOCKS = new Set([
  'package-lock.json',
  'npm-shrinkwrap.json',
  'pnpm-lock.yaml',
  'yarn.lock',
  'bun.lock',
  'bun.lockb',
  'deno.lock',
  'Cargo.lock',
  'poetry.lock',
  'uv.lock',
  'Pipfile.lock',
  'pdm.lock',
  'requirements.txt',
  'go.sum',
  'go.work.sum',
  'Gemfile.lock',
  'composer.lock',
  'mix.lock',
  'pubspec.lock',
  'Podfile.lock',
  'Package.resolved',
  'gradle.lockfile',
  'packages.lock.json',
  'flake.lock',
  'conan.lock',
  'rebar.lock',
  'Cartfile.resolved',
  'cabal.project.freeze',
])

/** Those of some paths that are lock files. */
export const lockFilesIn = (paths: Iterable<RelPath>): RelPath[] =>
  [...new Set(paths)].filter((path) => LOCKS.has(nameOf(path))).sort()

/** Warnings about lock files, and about programs whose version differs between then and now. */
export function mismatches(
  locks: readonly string[],
  then: Readonly<Record<string, unknown>>,
  now: Readonly<Record<string, unknown>>,
): string[] {
  const others = ['platform', 'node', 'python', 'go'].flatMap((key) => {
    const [was, is] = [then[key], now[key]]
    if (typeof was !== 'string' || !(key in now) || was === is) return []
    return [`${key} was ${was} then and is ${typeof is === 'string' ? is : 'not there'} now`]
  })
  return [
    ...(locks.length > 0
      ? [`installed dependencies may not match: ${locks.join(', ')} differed then; install them again if need be`]
      : []),
    ...others,
  ]
}
