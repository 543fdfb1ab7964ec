import { mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { parentPort, workerData } from 'node:worker_threads'
import { fileText, layout, type Share } from './tree.ts'

const DAY = 86_400
const NEWEST = Date.parse('2026-01-01') / 1000

const { root, files, from, to } = workerData as Share
let bytes = 0
let folder = ''
layout(files)
  .slice(from, to)
  .forEach((path, at) => write(path, from + at))
parentPort?.postMessage(bytes)

function write(path: string, index: number): void {
  const file = join(root, path)
  if (dirname(file) !== folder) mkdirSync((folder = dirname(file)), { recursive: true })
  const text = fileText(path, index)
  writeFileSync(file, text, 'latin1')
  const time = NEWEST - (index % 700) * DAY
  utimesSync(file, time, time)
  bytes += text.length
}
