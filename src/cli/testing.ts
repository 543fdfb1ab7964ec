import { findTool } from '../protocol/catalogue.ts'
import type { OpenStore, Services } from './context.ts'
import type { Io } from './io.ts'
import { runCli } from './run.ts'

/** Runs command lines without a process, with made-up answers of tools; for the tests of this folder. */

type Progress = (message: string, done?: number, total?: number) => void
interface Called {
  readonly tool: string
  readonly input: Record<string, unknown>
  readonly cwd: string
  readonly progress: Progress
}
/** What a tool answers, or throws. */
export type Answers = Record<string, object | ((called: Called) => object | Promise<object>)>

interface Setting {
  readonly answers?: Answers
  readonly io?: Partial<Io>
  readonly stdin?: string | Uint8Array
  readonly settle?: () => Promise<void>
  readonly close?: () => void
}

interface Ran {
  readonly code: number
  readonly out: string
  readonly bytes: Uint8Array
  readonly err: string
  readonly calls: readonly Called[]
  readonly opened: readonly { home: string; daemon: boolean }[]
  /** What happened, in order: answered (something was written to stdout), settled, closed. */
  readonly order: readonly string[]
  /** Everything a person would see. */
  readonly screen: string
}

export async function timewarp(argv: readonly string[], setting: Setting = {}): Promise<Ran> {
  const out: Uint8Array[] = []
  const order: string[] = []
  const calls: Called[] = []
  const opened: { home: string; daemon: boolean }[] = []
  let err = ''
  let time = 0
  const io: Io = {
    out: (data) => {
      out.push(typeof data === 'string' ? new TextEncoder().encode(data) : data)
      order.push('answered')
    },
    err: (text) => {
      err += text
    },
    stdin: async () => (typeof setting.stdin === 'string' ? new TextEncoder().encode(setting.stdin) : setting.stdin!),
    cwd: '/place/here',
    program: '/program/main.cjs',
    env: { HOME: '/home/ann' },
    outIsTerminal: false,
    errIsTerminal: false,
    columns: 80,
    now: () => (time += 1000),
    pause: async (ms) => void order.push(`paused ${ms}`),
    interrupted: new Promise(() => {}),
    ...setting.io,
  }
  const store: OpenStore = {
    settle: async () => {
      order.push('settled')
      await setting.settle?.()
    },
    close: () => {
      order.push('closed')
      setting.close?.()
    },
    call: async (call, name, input) => {
      const spec = await findTool(name)!.load()
      const called = { tool: name, input: input as Record<string, unknown>, cwd: call.cwd, progress: call.progress }
      calls.push(called)
      const answer = setting.answers?.[name] ?? {}
      return { spec, output: typeof answer === 'function' ? await answer(called) : answer }
    },
  }
  const rooms: Services = {
    open: async (options) => {
      opened.push({ ...options })
      return store
    },
  }
  const code = await runCli(argv, io, rooms)
  const bytes = Buffer.concat(out)
  const text = bytes.toString()
  const screen = `${text}${err === '' ? '' : `------- stderr -------\n${err}`}[exit ${code}]`
  return { code, out: text, bytes, err, calls, opened, order, screen }
}

/** The input that the tool gets from a command line. */
export async function inputOf(...argv: string[]): Promise<Record<string, unknown> | string> {
  const { calls, err } = await timewarp(argv, { answers: SAMPLES })
  return calls[0]?.input ?? err.split('\n')[0] ?? ''
}

const receipt = {
  snapshot_id: 's_20260228_153012_ab12cd',
  backup_id: 's_20260228_160000_cd34ef',
  new_snapshot_id: 's_20260228_160001_ef56ab',
  restored: ['src/main.ts'],
  deleted: [],
  skipped: [],
  conflicts: [],
  warnings: [],
  dry_run: false,
}

/** One successful answer each of some tools. */
export const SAMPLES: Answers = {
  workspace_init: {
    workspace_id: 'w_20260228_150000_000001',
    root: '/place/here',
    snapshot_id: 's_20260228_150000_000002',
    already: false,
    files: 12,
    left_out: [{ path: 'build', folder: true, bytes: 31, files: 2, complete: true }],
    git: { state: 'none', git_id: null, refs: 0, stashes: 0, bytes: 0, problem: null },
    retention: 'everything is kept until timewarp prune',
    warnings: [],
  },
  snapshot: {
    snapshot_id: 's_20260228_153012_ab12cd',
    created: true,
    tree: 'f'.repeat(64),
    base: null,
    files: 2,
    bytes: 2048,
    added: 2,
    modified: 0,
    deleted: 0,
    stored_bytes: 1024,
    duration_ms: 7,
    left_out: [],
    warnings: ['big.iso is larger than max_file_bytes'],
  },
  get_edit_history: { snapshots: [], prompts: [], pagination: { total: 0, has_more: false, next_cursor: null } },
  restore: receipt,
  diff: {
    from: 's_20260228_153012_ab12cd',
    to: null,
    files: [{ path: 'a', status: 'modified', old_size: 4, new_size: 4, kind: 'file' }],
    diff: '--- a/a\n+++ b/a\n@@ -1 +1 @@\n-old\n+new\n',
    warnings: [],
  },
  cat: {
    snapshot_id: 's_20260228_153012_ab12cd',
    path: 'a',
    size: 3,
    hash: 'f'.repeat(64),
    content: null,
    content_base64: '/wAK',
  },
  fsck: { ok: false, problems: [], packs: 1, objects: 2, snapshots: 1, bytes: 4096, rebuilt: false },
  config: { settings: {}, files: [], changed: null },
  pin: { snapshot_id: 's_20260228_153012_ab12cd', pinned: true, already: false },
  label: { snapshot_id: 's_20260228_153012_ab12cd', label: '', before: null },
}
