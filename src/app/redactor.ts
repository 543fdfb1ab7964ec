import { lazily } from '../base/lazily.ts'
import { knownSecrets } from '../secrets/known-secrets.ts'
import { redact } from '../secrets/redact.ts'

export type Redactor = (text: string) => string

/** What takes the secrets out of a text, those in the workspace's own files included. */
export function redactorOf({ root }: { readonly root: string }): Redactor {
  const known = lazily(() => knownSecrets(root))
  return (text) => redact(text, { known: known() })
}
