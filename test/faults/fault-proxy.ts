import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** What happens to one connection. */
export type Cut =
  /** Reset before a byte is passed on. */
  | { readonly kind: 'atOnce' }
  /** Reset when so many bytes of the request have been passed on. */
  | { readonly kind: 'inRequest'; readonly bytes: number }
  /** The whole request arrives; the answer is held back, and so many bytes of it are passed on before the reset. */
  | { readonly kind: 'inAnswer'; readonly bytes: number }
  /** The whole request arrives, and nothing comes back, nor does the connection end. */
  | { readonly kind: 'silence' }

/** A wire between client and service that breaks as it is told to. */
export type FaultProxy = {
  readonly baseUrl: string
  /** For the next connections whose first bytes begin like this, such as `POST /api/jobs`. */
  cutNext(beginning: string, cuts: readonly Cut[]): void
  /** How many cuts have been made. */
  readonly made: () => number
  close(): Promise<void>
}

export async function startFaultProxy(target: string): Promise<FaultProxy> {
  const { hostname, port, pathname } = new URL(target)
  const planned: { beginning: string; cut: Cut }[] = []
  const sockets = new Set<Socket>()
  let made = 0

  const keep = (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.on('close', () => sockets.delete(socket))
  }

  const server = createServer((client) => {
    keep(client)
    client.once('data', (first: Buffer) => {
      const at = planned.findIndex(({ beginning }) => first.toString('latin1').startsWith(beginning))
      const [plan] = at < 0 ? [] : planned.splice(at, 1)
      if (plan !== undefined) made += 1
      pass(client, first, plan?.cut)
    })
  })

  function pass(client: Socket, first: Buffer, cut: Cut | undefined): void {
    if (cut?.kind === 'atOnce') return void client.resetAndDestroy()
    const service = connect(Number(port), hostname)
    keep(service)
    client.on('close', () => service.destroy())
    service.on('close', () => (cut?.kind === 'silence' ? undefined : client.destroy()))
    const cutOff = () => {
      client.resetAndDestroy()
      service.resetAndDestroy()
    }
    const fromClient = limited(service, cut?.kind === 'inRequest' ? cut.bytes : undefined, cutOff)
    const fromService =
      cut?.kind === 'silence'
        ? () => undefined
        : limited(client, cut?.kind === 'inAnswer' ? cut.bytes : undefined, cutOff)
    fromClient(addressed(first))
    client.on('data', (chunk: Buffer) => fromClient(addressed(chunk)))
    service.on('data', fromService)
  }

  /** The service answers only to its own name and port; this is the one thing about HTTP that has to be known here. */
  const addressed = (chunk: Buffer): Buffer =>
    Buffer.from(
      chunk.toString('latin1').replace(`host: 127.0.0.1:${ownPort()}`, `host: ${hostname}:${port}`),
      'latin1',
    )
  const ownPort = () => (server.address() as AddressInfo).port

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${ownPort()}${pathname}`,
    cutNext: (beginning, cuts) => void planned.push(...cuts.map((cut) => ({ beginning, cut }))),
    made: () => made,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Passes bytes on, up to a number of them. */
function limited(to: Socket, limit: number | undefined, cutOff: () => void): (chunk: Buffer) => void {
  let left = limit ?? Number.POSITIVE_INFINITY
  return (chunk) => {
    const part = chunk.subarray(0, Math.min(chunk.length, left))
    left -= part.length
    // What was passed on has to leave before the end does.
    to.write(part, () => (left === 0 ? cutOff() : undefined))
  }
}
