import { closeSync, openSync, writeSync } from 'node:fs'
import { exportChat } from '../../src/travel/chat/chat.ts'

/** Exports a transcript in a process of its own and tells how much memory that took. */
const [file = '', to = ''] = process.argv.slice(2)
const fd = openSync(to, 'w')
const write = (text: string): void => void writeSync(fd, text)
const outcome = await exportChat({ source: { file }, session_id: 'large', selection: 'whole', now: 0, write })
closeSync(fd)
process.stdout.write(JSON.stringify({ ...outcome, peak: process.resourceUsage().maxRSS * 1024 }))
