import { createServer, type Server, type Socket } from 'node:net'
import { type ApiServices, LIMITS, type Limits } from './api.ts'
import { isSame } from './check-request.ts'

/**
 * The listener for hooks that are shell scripts. HTTP is expensive for them: a shell sends every line of a request by
 * itself, and parses the answer with patterns. Here request and answer are one line each, with lengths:
 *
 *     TOKEN CLIENT BYTES BYTES project payload     →     PROOF BYTES answer
 *
 * The lengths are those of the project and the payload; the connection ends with the answer. A request without the
 * token, of another form or too slow gets no answer, nor does a hook that must run in another process.
 */
export class HookListener {
  readonly server: Server
  readonly #rooms: Required<Pick<ApiServices, 'hook'>>
  readonly #secrets: Secrets
  readonly #limits: Limits
  #answering = 0

  constructor(rooms: Required<Pick<ApiServices, 'hook'>>, secrets: Secrets, options: Partial<Limits> = {}) {
    this.#rooms = rooms
    this.#secrets = secrets
    this.#limits = { ...LIMITS, ...options }
    this.server = createServer((socket) => this.#listen(socket))
  }

  get isAnswering(): boolean {
    return this.#answering > 0
  }

  #listen(socket: Socket): void {
    const parts: Buffer[] = []
    let head: Head | 'refused' | undefined
    let size = 0
    const hangUp = (): void => void socket.destroy()
    const timer = setTimeout(hangUp, this.#limits.requestMs)
    socket.on('error', hangUp)
    socket.on('close', () => clearTimeout(timer))
    socket.on('data', (part: Buffer) => {
      parts.push(part)
      size += part.length
      head ??= this.#admit(Buffer.concat(parts))
      if (head === undefined) return size > HEAD_BYTES ? hangUp() : undefined
      if (head === 'refused' || size > head.end) return hangUp()
      if (size < head.end) return
      clearTimeout(timer)
      void this.#answer(head, Buffer.concat(parts), socket).catch(hangUp)
    })
  }

  /** Undefined until enough bytes have arrived. */
  #admit(bytes: Buffer): Head | 'refused' | undefined {
    const [, token, client, project, payload] = HEAD.exec(bytes.toString('latin1', 0, HEAD_BYTES)) ?? []
    if (token === undefined) return undefined
    const start = [token, client, project, payload].join(' ').length + 1
    const from = start + Number(project)
    const end = from + Number(payload)
    const isFine = isSame(token, this.#secrets.token) && Number(project) <= PATH_BYTES
    return isFine && end - from <= this.#limits.hookBytes ? { client: client ?? '', start, from, end } : 'refused'
  }

  async #answer({ client, start, from, end }: Head, bytes: Buffer, socket: Socket): Promise<void> {
    this.#answering++
    try {
      const project = bytes.toString('utf8', start, from)
      const said = await this.#rooms.hook(client, bytes.subarray(from, end), project === '' ? undefined : project)
      socket.end(`${this.#secrets.proof} ${Buffer.byteLength(said)} ${said}`)
    } finally {
      this.#answering--
    }
  }
}

interface Secrets {
  /** Hooks send it. */
  readonly token: string
  /** Sent to hooks: a process that took the daemon's port does not know it. */
  readonly proof: string
}

/** The offsets of the parts of a request. */
interface Head {
  readonly client: string
  readonly start: number
  readonly from: number
  readonly end: number
}

const HEAD = /^([\w-]+) (\S*) (\d{1,9}) (\d{1,10}) /
const HEAD_BYTES = 256
const PATH_BYTES = 64 * 1024
