import { lazily } from '../base/lazily.ts'
import { knownSecrets } from '../secrets/known-secrets.ts'
import { redact } from '../secrets/redact.ts'

export type Redactor = (text: string) => string

/** A function that removes secrets from a text, including those found in the workspace's own files. */
export function redactorOf({ root }: { readonly root: string }): Redactor {
  const known = lazily(() => knownSecrets(root))
  return (text) => redact(text, { known: known() })
}
