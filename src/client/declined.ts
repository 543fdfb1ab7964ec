/** How a daemon says that it will not run a command line, in the words of HTTP: ask somebody else. */
export const NOT_HERE = 421
/** The same from a daemon that goes away: there will be another one. */
export const NOT_ANY_MORE = 426
