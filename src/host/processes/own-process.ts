/**
 * Whether the process is a command's: it ends with what it was started for, and nobody else's code runs in it. In any
 * other one nothing may be changed that concerns all of it, such as where it stands or how its code is compiled.
 */
let owned = false

/** For a program that has noted where it was started. */
export const ownProcess = (): void => {
  owned = true
}
export const ownsProcess = (): boolean => owned
