import { Fault } from '../../base/fault.ts'
import { close, openNew, removeAll, writeAll } from '../../host/files/fs.ts'
import { type ChatSelection, exportChat } from './chat.ts'
import type { ChatSource } from './chat-records.ts'

/** The conversation to store with an issue. */
export interface Chat {
  readonly source: ChatSource | undefined
  readonly session_id: string | null
  readonly selection: ChatSelection
  readonly known: readonly string[]
  readonly now: number
}

/**
 * Writes a conversation into a new file. If it cannot be read, the file says that there is none: reporting friction
 * must not fail for it. Returns warnings.
 */
export async function writeChat(file: string, chat: Chat): Promise<string[]> {
  try {
    const { skipped } = await write(file, chat)
    return skipped === 0 ? [] : [`${skipped} pieces of the conversation could not be read`]
  } catch (error) {
    if (chat.source === undefined || !(error instanceof Fault)) throw error
    removeAll(file)
    await write(file, { ...chat, source: undefined })
    return [`chat.md is empty: ${error.message}`]
  }
}

async function write(file: string, { session_id, ...chat }: Chat): Promise<{ skipped: number }> {
  const fd = openNew(file, 0o600)
  try {
    const put = (text: string): void => writeAll(fd, Buffer.from(text))
    return await exportChat({ ...chat, session_id: session_id ?? 'none', write: put })
  } finally {
    close(fd)
  }
}
