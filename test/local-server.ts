/** Servers of tests on this computer, by default on a free port. */
import type { AddressInfo, Server, Socket } from 'node:net'

/** Resolves when the server listens. `close` ends its connections too. */
export async function listenLocally(server: Server, port = 0) {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((done) => server.listen(port, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done())
        for (const socket of sockets) socket.destroy()
      }),
  }
}
