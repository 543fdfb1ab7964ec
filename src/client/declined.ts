/** The HTTP status with which a daemon declines a command line: the client must run it in another process. */
export const NOT_HERE = 421
/** The same from a daemon that is about to end: a new one can be started. */
export const NOT_ANY_MORE = 426
