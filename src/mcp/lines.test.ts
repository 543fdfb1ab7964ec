import { PassThrough } from 'node:stream'
import type { JSONRPCMessage } from '@modelcontextprotocol/server'
import { expect, test } from 'vitest'
import { LineReader, LineTransport } from './lines.ts'

test('bytes become lines, however they are cut', () => {
  const lines: (string | undefined)[] = []
  const reader = new LineReader((line) => lines.push(line), 10)
  for (const byte of Buffer.from('ä\n\nlonger than ten\nend\nrest')) reader.add(Buffer.of(byte))
  expect(lines).toEqual(['ä', '', undefined, 'end'])
  const whole: (string | undefined)[] = []
  new LineReader((line) => whole.push(line), 10).add(Buffer.from('ä\n\nlonger than ten\nend\nrest'))
  expect(whole).toEqual(lines)
})

async function wire() {
  const [input, output] = [new PassThrough(), new PassThrough()]
  const transport = new LineTransport(input, output)
  const got: JSONRPCMessage[] = []
  const problems: string[] = []
  let isClosed = false
  transport.onmessage = (message) => void got.push(message)
  transport.onerror = (error) => void problems.push(error.message)
  transport.onclose = () => {
    isClosed = true
  }
  await transport.start()
  const settle = () => new Promise((done) => setImmediate(done))
  return { input, output, transport, got, problems, isClosed: () => isClosed, settle }
}

const request = (id: number) => `${JSON.stringify({ jsonrpc: '2.0', id, method: 'ping' })}\n`

test('what is no message does no harm; who asked for an answer gets one', async () => {
  const { input, output, got, problems, settle } = await wire()
  input.write('garbage\n[]\nnull\n{"id":7}\n\n')
  input.write(request(1))
  await settle()
  expect(got).toMatchObject([{ id: 1, method: 'ping' }])
  expect(problems).toHaveLength(4)
  expect(String(output.read())).toBe('{"jsonrpc":"2.0","id":7,"error":{"code":-32600,"message":"Invalid request"}}\n')
})

test('when the input ends, what was asked before is answered first', async () => {
  const { input, output, transport, isClosed, settle } = await wire()
  input.end(request(1) + request(2))
  await settle()
  expect(isClosed()).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 1, result: {} })
  expect(isClosed()).toBe(false)
  await transport.send({ jsonrpc: '2.0', id: 2, result: {} })
  expect(isClosed()).toBe(true)
  output.end()
  expect((await output.toArray()).join('').split('\n')).toHaveLength(3)
})

test('nobody waits for an answer that can no longer come, or that nobody wants', async () => {
  const asking = await wire()
  asking.input.write(request(1))
  await asking.settle()
  await asking.transport.send({ jsonrpc: '2.0', id: 9, method: 'roots/list' })
  asking.input.end()
  await asking.settle()
  expect(asking.isClosed()).toBe(true)
  const cancelled = await wire()
  const notice = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
  cancelled.input.end(`${request(1)}${JSON.stringify(notice)}\n`)
  await cancelled.settle()
  expect(cancelled.isClosed()).toBe(true)
})
