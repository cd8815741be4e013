/** A reverse proxy for a WebDAV server. The test decides what happens to each request, and can read all of them. */
import { once } from 'node:events'
import { createServer, type IncomingMessage, request as httpRequest, type ServerResponse } from 'node:http'

export type FailureEffect =
  | 'pass'
  /** The request is held until the gate is opened. */
  | 'hold'
  /** The connection is cut before the response. */
  | 'cut'
  /** The connection is cut in the middle of the response body or the request body. */
  | 'cutMidway'
  | { readonly status: number; readonly body?: string }

export type Gate = {
  readonly url: string
  /** Sets the rule for later requests. Held requests are checked again. */
  rule(decide: (method: string, path: string) => FailureEffect): void
  /** `METHOD /path` of each request, decoded, in order. */
  readonly seen: string[]
  /** Resolves when a request is held under the latest rule. */
  held(): Promise<void>
  close(): Promise<void>
}

const passAll: (method: string, path: string) => FailureEffect = () => 'pass'

export async function openGate(targetPort: number): Promise<Gate> {
  let decide = passAll
  let ruleChanged = Promise.withResolvers<void>()
  let somethingHeld = Promise.withResolvers<void>()
  const seen: string[] = []

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const method = request.method ?? ''
    const path = decodeURIComponent(request.url ?? '')
    seen.push(`${method} ${path}`)
    let decision = decide(method, path)
    while (decision === 'hold') {
      somethingHeld.resolve()
      await ruleChanged.promise
      decision = decide(method, path)
    }
    if (response.destroyed) return
    if (decision === 'cut') request.socket.destroy()
    else if (typeof decision === 'object') {
      request.resume()
      response.writeHead(decision.status, { connection: 'close' }).end(decision.body ?? '')
    } else forward(request, response, decision === 'cutMidway')
  }

  function forward(request: IncomingMessage, response: ServerResponse, cutMidway: boolean): void {
    const onward = httpRequest(
      {
        host: '127.0.0.1',
        port: targetPort,
        method: request.method ?? '',
        path: request.url ?? '',
        headers: request.headers,
        agent: false,
      },
      (answer) => {
        response.writeHead(answer.statusCode ?? 500, answer.headers)
        if (!cutMidway) {
          answer.pipe(response)
          return
        }
        answer.once('data', (chunk: Buffer) => {
          response.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => request.socket.destroy())
          answer.destroy()
        })
      },
    )
    onward.on('error', () => request.socket.destroy())
    if (cutMidway && request.method === 'PUT') {
      request.once('data', (chunk: Buffer) => {
        onward.write(chunk.subarray(0, Math.ceil(chunk.length / 2)), () => {
          onward.destroy()
          request.socket.destroy()
        })
      })
      return
    }
    request.pipe(onward)
    response.on('close', () => onward.destroy())
  }

  const server = createServer((request, response) => {
    request.on('error', () => {})
    response.on('error', () => {})
    void handle(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('The gate has no port')

  return {
    url: `http://127.0.0.1:${address.port}`,
    seen,
    rule(newRule) {
      decide = newRule
      somethingHeld = Promise.withResolvers<void>()
      const before = ruleChanged
      ruleChanged = Promise.withResolvers<void>()
      before.resolve()
    },
    held: () => somethingHeld.promise,
    async close() {
      decide = () => 'cut'
      ruleChanged.resolve()
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
