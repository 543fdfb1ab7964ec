export type { AppliedFile, ReadStored, StoredFile } from './patch/applied-file.ts'

/**
 * Creates, parses, checks, applies, reverses and merges diffs and patches, byte for byte as git does.
 *
 *     import { generateUnifiedDiff, parsePatch, applyPatch } from 'timewarp/diff'
 *     const diff = generateUnifiedDiff('old\n', 'new\n', { oldPath: 'a/x', newPath: 'b/x' })
 *     const { files, offsets } = applyPatch(parsePatch(Buffer.from(diff)), (path) => ({ bytes: …, mode: 0o100644 }))
 *
 * Needs neither git nor a workspace. The exports of this file are the public interface.
 */

export { Fault, type FaultCode } from '../base/fault.ts'
export { diffLines, type LineChange, type LineDiff } from './lines.ts'
export { type MergeConflict, type Merged, type MergePart, mergeBytes } from './merge.ts'
export { type Applied, applyPatch, checkPatch } from './patch/apply.ts'
export type { ApplyOptions, HunkOffset } from './patch/apply-hunks.ts'
export { formatPatch } from './patch/format.ts'
export { parsePatch } from './patch/parse.ts'
export type {
  BinaryPart,
  FilePatch,
  Patch,
  PatchBody,
  PatchChange,
  PatchFormat,
  PatchHunk,
  PatchLine,
  PatchSide,
} from './patch/patch.ts'
export { reversePatch } from './patch/reverse.ts'
export {
  addFileHashesToDiff,
  analyzePatchResult,
  calculateFileHash,
  cleanDiffTimestamps,
  type DiffValidation,
  type FileDiff,
  generateUnifiedDiff,
  getGitTimestamp,
  type Like,
  type PatchAnalysis,
  parseMultiFileDiff,
  reverseDiff,
  type Text,
  type UnifiedOptions,
  validateDiffFormat,
} from './text-diffs.ts'
export { countLines, type DiffFormat, type FileChange, writeDiff } from './unified.ts'
