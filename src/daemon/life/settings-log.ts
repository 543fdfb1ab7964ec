/** Logs settings of a workspace that are wrong or not applied: once, until the warnings change. */
export class SettingsLog {
  readonly #log: (message: string, data: object) => void
  readonly #last = new Map<string, string>()

  constructor(log: (message: string, data: object) => void) {
    this.#log = log
  }

  reported<W extends { readonly id: string; readonly warnings: readonly string[] }>(workspace: W): W {
    const { id, warnings } = workspace
    const text = warnings.join('\n')
    if ((this.#last.get(id) ?? '') === text) return workspace
    this.#last.set(id, text)
    if (text !== '') this.#log('settings are not used as they are', { workspace: id, warnings })
    return workspace
  }
}
