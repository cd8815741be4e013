/** A service in front of the built-in one that changes what it answers. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { listenLocally } from '../local-server.ts'

export type Asked = {
  readonly method: string
  /** Without the prefix `/api`, with the query. */
  readonly path: string
  readonly authorization: string | undefined
  readonly body: Buffer
}

export type Answered = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: Buffer
}

/** Returns the answer that the client gets, or the parts of it that differ. */
export type Lie = (asked: Asked, truth: Answered) => Partial<Answered> | undefined

/** Answers a request that the service then doesn't get. */
export type Refusal = (asked: Asked) => Answered | undefined

const FORWARDED = ['authorization', 'content-type', 'x-filename'] as const

const truthful: Lie = () => undefined
const accepting: Refusal = () => undefined

export async function startProxy(target: string) {
  let lie: Lie = truthful
  let refusal = accepting
  const seen: (Asked & Answered)[] = []
  const server = createServer((request, response) => void answer(request, response))
  async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = (request.url ?? '').replace('/api', '')
    const method = request.method ?? ''
    const body = await buffer(request)
    const asked = { method, path, authorization: request.headers.authorization, body }
    const truth = refusal(asked) ?? (await forward(asked, request))
    const told = { ...truth, ...lie(asked, truth) }
    seen.push({ ...asked, ...told })
    response.writeHead(told.status, told.headers).end(told.body)
  }
  async function forward({ method, path, body }: Asked, request: IncomingMessage): Promise<Answered> {
    const headers = new Headers()
    for (const name of FORWARDED) {
      const value = request.headers[name]
      if (typeof value === 'string') headers.set(name, value)
    }
    const init = method === 'POST' ? { body: new Uint8Array(body) } : {}
    const answer = await fetch(target + path, { method, headers, redirect: 'manual', ...init })
    const kept = ['content-type', 'content-disposition'].flatMap((name) => {
      const value = answer.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    return {
      status: answer.status,
      headers: Object.fromEntries(kept),
      body: Buffer.from(await answer.arrayBuffer()),
    }
  }
  const { port, close } = await listenLocally(server)
  return {
    baseUrl: `http://127.0.0.1:${port}/api`,
    seen,
    tell(next: Lie) {
      lie = next
    },
    refuse(next: Refusal) {
      refusal = next
    },
    close,
  }
}

export type Proxy = Awaited<ReturnType<typeof startProxy>>

/** Changes the JSON of answers. */
export const changed = (truth: Answered, change: (value: Record<string, unknown>) => unknown) => ({
  body: Buffer.from(JSON.stringify(change(JSON.parse(truth.body.toString('utf8'))))),
})
