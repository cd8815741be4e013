import type { Server } from 'node:net'
import { onTestFinished } from 'vitest'
import { listenLocally } from './local-server.ts'

/** Lets a server listen until the test has finished. @returns its URL without a path */
export async function listenUntilEnd(server: Server): Promise<string> {
  const { port, close } = await listenLocally(server)
  onTestFinished(close)
  return `http://127.0.0.1:${port}`
}
