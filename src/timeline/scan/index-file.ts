import { join } from 'node:path'

/** Where the last scan of a workspace is kept. */
export const indexFile = (home: string, workspace: string): string => join(home, 'cache', `${workspace}.scan`)
