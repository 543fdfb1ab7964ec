import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { checkPackage, createPackageFromTarballData, type Problem } from '@arethetypeswrong/core'
import { publint } from 'publint'
import { formatMessage } from 'publint/utils'
import { pack } from './pack.ts'

/**
 * Packs what is built and checks the file: entry points that do not exist or are of another format than they say
 * (publint), and types that another project would not find (arethetypeswrong). Exits with 1 if there is a problem.
 */

/** TypeScript before 4.7, and `require` as it was before Node 22.12, cannot load the package; `engines` says so. */
const UNSUPPORTED: ReadonlySet<string> = new Set(['node10', 'node16-cjs'])

const isSupported = (problem: Problem): boolean =>
  !('resolutionKind' in problem && UNSUPPORTED.has(problem.resolutionKind)) &&
  !('resolutionOption' in problem && UNSUPPORTED.has(problem.resolutionOption))

async function problemsOfTypes(tarball: Uint8Array): Promise<string[]> {
  const result = await checkPackage(createPackageFromTarballData(tarball))
  if (result.types === false) return ['The package has no types.']
  return result.problems.filter(isSupported).map((problem) => JSON.stringify({ ...problem, trace: undefined }))
}

async function problemsOfEntries(tarball: Buffer<ArrayBuffer>): Promise<string[]> {
  const bytes = tarball.buffer.slice(tarball.byteOffset, tarball.byteOffset + tarball.length)
  const { messages, pkg } = await publint({ pack: { tarball: bytes }, strict: true })
  return messages.map((message) => formatMessage(message, pkg, { color: false }) ?? message.code)
}

const folder = mkdtempSync(join(tmpdir(), 'timewarp-pack-'))
try {
  const tarball = readFileSync(pack(folder))
  const problems = [...(await problemsOfEntries(tarball)), ...(await problemsOfTypes(tarball))]
  for (const problem of problems) process.stderr.write(`package: ${problem}\n`)
  process.exitCode = problems.length === 0 ? 0 : 1
} finally {
  rmSync(folder, { recursive: true, force: true })
}
