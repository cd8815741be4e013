/** Servers of tests, on a free port of this computer. */
import type { AddressInfo, Server } from 'node:net'

/** Resolves when the server listens. `close` ends its connections too. */
export async function listenLocally(server: Server & { closeAllConnections?: () => void }) {
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  return {
    port: (server.address() as AddressInfo).port,
    close: (): Promise<void> =>
      new Promise((done) => {
        server.close(() => done())
        server.closeAllConnections?.()
      }),
  }
}
