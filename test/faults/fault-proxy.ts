import { connect, createServer, type AddressInfo, type Socket } from 'node:net'

/** How one connection is cut. */
export type Cut =
  /** Reset before any byte is forwarded. */
  | { readonly kind: 'atOnce' }
  /** Reset after this many bytes of the request. */
  | { readonly kind: 'inRequest'; readonly bytes: number }
  /** The whole request arrives; the connection is reset after this many bytes of the response. */
  | { readonly kind: 'inAnswer'; readonly bytes: number }
  /** The whole request arrives, but no response follows and the connection stays open. */
  | { readonly kind: 'silence' }

export type FaultProxy = Awaited<ReturnType<typeof startFaultProxy>>

/** A proxy between client and service that cuts connections on request. */
export async function startFaultProxy(target: string) {
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

  /** The service only accepts its own host name and port, so the `Host` header has to be rewritten. */
  const addressed = (chunk: Buffer): Buffer =>
    Buffer.from(
      chunk.toString('latin1').replace(`host: 127.0.0.1:${ownPort()}`, `host: ${hostname}:${port}`),
      'latin1',
    )
  const ownPort = () => (server.address() as AddressInfo).port

  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return {
    baseUrl: `http://127.0.0.1:${ownPort()}${pathname}`,
    /** Cuts the next connections that begin with this text, such as `POST /api/jobs`. */
    cutNext: (beginning: string, cuts: readonly Cut[]) =>
      void planned.push(...cuts.map((cut) => ({ beginning, cut }))),
    /** Number of connections cut so far. */
    made: () => made,
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

/** Forwards bytes up to a limit. */
function limited(to: Socket, limit: number | undefined, cutOff: () => void): (chunk: Buffer) => void {
  let left = limit ?? Number.POSITIVE_INFINITY
  return (chunk) => {
    const part = chunk.subarray(0, Math.min(chunk.length, left))
    left -= part.length
    // The forwarded bytes have to be flushed before the connection ends.
    to.write(part, () => (left === 0 ? cutOff() : undefined))
  }
}
