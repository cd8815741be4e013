/**
 * Chromium's debugging protocol over the pipe that it was started with.
 * Little cleanup is needed, because Chromium exits when the pipe closes: an app that is killed leaves no browser behind. The
 * tests' Playwright uses the debugging port instead.
 */
import { EventEmitter } from 'node:events'
import type { Readable, Writable } from 'node:stream'
import type { CDPSession } from 'playwright-core'

/** Has the type of Playwright's session, to reuse its protocol types. */
export type CdpLine = Pick<CDPSession, 'send' | 'on'>

type Answer = {
  readonly id?: number
  readonly method?: string
  readonly params?: unknown
  readonly result?: unknown
  readonly error?: { readonly message: string }
  readonly sessionId?: string
}

export function openCdpPipe(toChromium: Writable, fromChromium: Readable) {
  const waiting = new Map<number, PromiseWithResolvers<unknown> & { readonly method: string }>()
  const sessions = new Map<string, EventEmitter>()
  let nextId = 1
  let closed = false

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
  readMessages(fromChromium, receive)
  const end = () => {
    closed = true
    for (const call of waiting.values()) call.reject(new Error(`${call.method}: Chromium has exited`))
    waiting.clear()
  }
  fromChromium.on('close', end)
  toChromium.on('error', end)

  const send = async (sessionId: string, method: string, params: unknown) => {
    if (closed) throw new Error(`${method}: Chromium has exited`)
    const id = nextId++
    const call = { ...Promise.withResolvers<unknown>(), method }
    waiting.set(id, call)
    const message = { id, method, params, ...(sessionId !== '' && { sessionId }) }
    toChromium.write(`${JSON.stringify(message)}\0`)
    return call.promise
  }
  const line = (sessionId: string): CdpLine => {
    const emitter = sessions.get(sessionId) ?? new EventEmitter()
    sessions.set(sessionId, emitter)
    const untyped = {
      send: (method: string, params?: unknown) => send(sessionId, method, params),
      on: (event: string, listener: (payload: unknown) => void) => emitter.on(event, listener),
    }
    return untyped as unknown as CdpLine
  }
  return { browser: line(''), session: line }
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
