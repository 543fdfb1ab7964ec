export type Redactor = (text: string) => string

/** What takes the secrets out of a text. */
export const redactorOf =
  (_workspace: { readonly root: string }): Redactor =>
  (text) =>
    text
