/**
 * Chromium's debugging protocol, over the pipe that it was started with or over a socket to a browser that apps share.
 * Little cleanup is needed, because Chromium exits when the pipe closes: an app that is killed leaves no browser behind. The
 * tests' Playwright uses the debugging port instead.
 */
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { CDPSession } from 'playwright-core'

/** Has the type of Playwright's session, to reuse its protocol types. */
export type CdpLine = Pick<CDPSession, 'send' | 'on'>

export type CdpLines = {
  readonly browser: CdpLine
  readonly session: (sessionId: string) => CdpLine
}

type Answer = {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

type Waiting = { resolve(result: unknown): void; reject(error: Error): void; readonly method: string }

export function openCdpPipe(toChromium: Writable, fromChromium: Readable): CdpLines {
  const { lines, receive, end } = createLines((text) => toChromium.write(`${text}\0`))
  readMessages(fromChromium, receive)
  fromChromium.on('close', end)
  toChromium.on('error', end)
  return lines
}

/** @param endpoint WebSocket URL of a running browser. Rejects if it can't be reached */
export async function openCdpSocket(
  endpoint: string,
): Promise<{ readonly lines: CdpLines; readonly ended: Promise<void>; readonly close: () => void }> {
  const socket = new WebSocket(endpoint)
  const { lines, receive, end } = createLines((text) => socket.send(text))
  socket.addEventListener('message', ({ data }) => receive(String(data)))
  const ended = new Promise<void>((resolve) => socket.addEventListener('close', () => resolve())).then(end)
  await new Promise((resolve, reject) => {
    socket.addEventListener('open', resolve)
    socket.addEventListener('error', () => reject(new Error(`Can't reach Chromium at ${endpoint}`)))
  })
  return { lines, ended, close: () => socket.close() }
}

function createLines(write: (text: string) => void) {
  const waiting = new Map<number, Waiting>()
  const sessions = new Map<string, EventEmitter>()
  let nextId = 1
  let closed = false

  const emitterOf = (sessionId: string) => {
    const known = sessions.get(sessionId) ?? new EventEmitter()
    sessions.set(sessionId, known)
    return known
  }
  const receive = (text: string) => {
    // No validation: the other end is a browser that this process started.
    const answer = JSON.parse(text) as Answer
    if (answer.id === undefined) {
      if (answer.method !== undefined)
        sessions.get(answer.sessionId ?? '')?.emit(answer.method, answer.params)
      return
    }
    const call = waiting.get(answer.id)
    waiting.delete(answer.id)
    if (answer.error !== undefined) call?.reject(new Error(`${call.method}: ${answer.error.message}`))
    else call?.resolve(answer.result)
  }
  const end = () => {
    closed = true
    for (const call of waiting.values()) call.reject(new Error(`${call.method}: Chromium has exited`))
    waiting.clear()
  }

  const send = (sessionId: string, method: string, params: unknown) =>
    new Promise<unknown>((resolve, reject) => {
      if (closed) return reject(new Error(`${method}: Chromium has exited`))
      const id = nextId++
      waiting.set(id, { resolve, reject, method })
      const message = { id, method, params, ...(sessionId !== '' && { sessionId }) }
      write(JSON.stringify(message))
    })
  const line = (sessionId: string): CdpLine => {
    const emitter = emitterOf(sessionId)
    const untyped = {
      send: (method: string, params?: unknown) => send(sessionId, method, params),
      on: (event: string, listener: (payload: unknown) => void) => emitter.on(event, listener),
    }
    return untyped as unknown as CdpLine
  }
  return { lines: { browser: line(''), session: line }, receive, end }
}

function readMessages(stream: Readable, receive: (text: string) => void): void {
  let parts: Buffer[] = []
  stream.on('data', (chunk: Buffer) => {
    let start = 0
    for (let end = chunk.indexOf(0); end !== -1; end = chunk.indexOf(0, start)) {
      receive(Buffer.concat([...parts, chunk.subarray(start, end)]).toString('utf8'))
      parts = []
      start = end + 1
    }
    if (start < chunk.length) parts.push(chunk.subarray(start))
  })
}
