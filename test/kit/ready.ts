/** What a child prints when it has loaded and is about to begin. */
export const READY = '{"ready":true}\n'
