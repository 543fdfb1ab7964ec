import { join } from 'node:path'

/** The index file: the cached result of the last scan of a workspace. */
export const indexFile = (home: string, workspace: string): string => join(home, 'cache', `${workspace}.scan`)
