/** Where standard input is left by whoever has read it already. */
export const STDIN = 'timewarp:stdin'
