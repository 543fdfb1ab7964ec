import { fileURLToPath } from 'node:url'

/** The folder that a server works in: of the client's roots the one that holds `cwd`, else the first. */
export function chooseRoot(roots: readonly { readonly uri: string }[], cwd: string | undefined): string | undefined {
  const folders = roots.flatMap(({ uri }) => folderOf(uri) ?? [])
  return folders.find((folder) => cwd !== undefined && isWithin(cwd, folder)) ?? folders[0]
}

const isWithin = (path: string, folder: string): boolean => path === folder || path.startsWith(`${folder}/`)

function folderOf(uri: string): string | undefined {
  try {
    const path = fileURLToPath(uri)
    return path.length > 1 ? path.replace(/\/$/, '') : path
  } catch {
    return undefined
  }
}
