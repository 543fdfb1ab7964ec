import { checkConsent } from '../app/consent.ts'
import { handler } from '../app/handler.ts'
import { findWorkspace } from '../app/workspace-lookup.ts'
import { resolveIgnore, resolveSettings } from '../config/settings.ts'
import { hexOf, readTrust, TRUST_FILES, type TrustedBytes, type TrustFile, writeTrust } from '../config/trust-record.ts'
import { Trust } from '../protocol/trust.ts'

/** Shows what the files of a workspace ask for, and records that the user accepts them as they are now. */
export const trust = handler(Trust, async (call, input) => {
  const { home } = call.app
  const { id: workspace_id, root } = findWorkspace(call, input)
  const { bytes, ...seen } = look(home, root)
  const answer = { workspace_id, root, ...seen, changed: false, revoked: input.revoke, dry_run: input.dry_run }
  const before = readTrust(home, root)
  const wanted: TrustedBytes = input.revoke ? {} : { ...before, ...bytes }
  if (input.dry_run || isSame(before, wanted)) return answer
  if (!input.revoke) checkConsent(Trust, input, answer)
  writeTrust(home, root, wanted)
  const after = look(home, root)
  // Trusting lists the changes that the user accepted; revoking lists those that need trust again.
  return { ...answer, files: after.files, asks: input.revoke ? after.asks : seen.asks, changed: true }
})

const isSame = (a: TrustedBytes, b: TrustedBytes): boolean =>
  TRUST_FILES.every((name) => (a[name] === undefined ? b[name] === undefined : b[name]?.equals(a[name]) === true))

/** The files as they are, and what they ask for. */
function look(home: string, root: string) {
  const settings = resolveSettings(home, root)
  const ignore = resolveIgnore(home, root, settings.config.exclude)
  const views = [
    { path: '.timewarp/config.json', ...settings.file },
    { path: '.timewarpignore', ...ignore.file },
  ] as const satisfies readonly { path: TrustFile }[]
  const bytes: Partial<Record<TrustFile, Buffer>> = {}
  // A file that asks for nothing needs no trust.
  for (const { path, bytes: found, asked, state } of views)
    if (found && (asked.length > 0 || state === 'changed')) bytes[path] = found
  const [config, patterns] = views
  return {
    bytes,
    files: views.map(({ path, state, bytes: found }) => ({ path, state, sha256: found ? hexOf(found) : null })),
    asks: [
      ...config.asked.map((asked) => ({ file: config.path, ...asked })),
      ...(patterns.asked.length === 0
        ? []
        : [
            {
              file: patterns.path,
              setting: patterns.path,
              asked: patterns.asked,
              holds: ignore.trusted,
              weakens: true,
            },
          ]),
    ],
    // Without the warning that trust is missing: that is what the answer is about.
    warnings: [...settings.problems, ...ignore.problems],
  }
}
