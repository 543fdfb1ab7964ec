/**
 * The output of a command as a stream of frames: one byte for the type, four for the length (big-endian), the payload.
 *
 * | type | payload                                               |
 * | ---- | ----------------------------------------------------- |
 * | `s`  | started: `1` if it may be run again, `0` if it may not |
 * | `o`  | bytes for standard output                             |
 * | `e`  | bytes for standard error                              |
 * | `p`  | progress: a JSON object with message, done, total  |
 * | `x`  | exit code, in decimal; nothing comes after it         |
 */
export type FrameType = 's' | 'o' | 'e' | 'p' | 'x'

export function frameHead(type: FrameType, length: number): Uint8Array {
  const head = Buffer.alloc(5, type, 'latin1')
  head.writeUInt32BE(length, 1)
  return head
}
