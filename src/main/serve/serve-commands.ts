/** Runs commands for clients that connect to the owner's socket. */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Server } from 'node:net'
import { isProof, newChallenge, proofOf, writeAddress } from '../../node/owner-link/proof.ts'
import { linkOver } from '../../node/owner-link/link.ts'
import { VERSION, type FromOwner } from '../../node/owner-link/messages.ts'
import { socketPlace } from '../../node/owner-link/socket-place.ts'
import { Message } from './messages.ts'
import { createSession, type RunCommand } from './session.ts'

/** More clients than any user has. Others are closed at once. */
const MOST_CLIENTS = 100
/** How long a client may take to prove that it may connect, in ms. */
const PROOF_MS = 5_000
/** How long commands may take to end, in ms. */
const ENDING_MS = 10_000

export type Serving = {
  /** Number of commands that are running. */
  clients(): number
  /** Stops accepting. Commands that run learn that the owner ends. */
  close(): Promise<void>
}

/**
 * @param dataDir absolute; this process owns it
 * @param options `onChange` is called when a client has come or gone, and `end` when another owner takes over, which happens only while
 * `isIdle` returns true if it isn't the app
 * @throws the system's error if there can't be a socket
 */
export async function serveCommands(
  dataDir: string,
  place: Parameters<typeof socketPlace>[1],
  run: RunCommand,
  {
    onChange,
    end,
    isIdle = () => false,
  }: { readonly onChange: () => void; readonly end?: () => void; readonly isIdle?: () => boolean },
): Promise<Serving> {
  const path = socketPlace(dataDir, place)
  const { secret } = writeAddress(dataDir, path)
  const sessions = new Set<ReturnType<typeof createSession>>()
  const open = new Set<{ close(): void }>()
  const server = createServer((socket) => {
    if (open.size >= MOST_CLIENTS) return void socket.destroy()
    const own = newChallenge()
    let theirs: string | undefined
    let isOther = false
    let isProven = false
    let session: ReturnType<typeof createSession> | undefined
    const timer = setTimeout(() => link.close(), PROOF_MS).unref()
    const link = linkOver<FromOwner>(socket, hear, () => {
      clearTimeout(timer)
      open.delete(link)
      session?.left()
      if (session !== undefined) sessions.delete(session)
      onChange()
    })
    open.add(link)
    onChange()

    function hear(raw: unknown): void {
      const message = Message.parse(raw)
      if (message.type === 'yield' && isProven) return end?.()
      if (message.type === 'replace' && isProven) return isIdle() ? end?.() : link.send({ type: 'working' })
      if (session !== undefined) return session.hear(message)
      if (message.type === 'hello' && theirs === undefined) {
        theirs = message.challenge
        isOther = message.version !== VERSION
        const proof = proofOf(secret, 'owner', [theirs, own])
        return link.send({ type: 'proof', version: VERSION, challenge: own, proof, pid: process.pid })
      }
      if (message.type !== 'proof' || theirs === undefined) return link.close()
      if (!isProof(message.proof, proofOf(secret, 'client', [own, theirs]))) return link.close()
      clearTimeout(timer)
      isProven = true
      if (isOther) return
      session = createSession(link, run)
      sessions.add(session)
    }
  })
  // The file of an earlier owner that was killed. This process has the lock, so no other one listens.
  if (place.platform !== 'win32') rmSync(path, { force: true })
  await listening(server, path)
  if (place.platform !== 'win32') chmodSync(path, 0o600)
  return {
    clients: () => open.size,
    async close() {
      const closed = new Promise<void>((resolve) => void server.close(() => resolve()))
      // A client that was stopped takes no output, for example.
      const late = Promise.withResolvers<void>()
      const timer = setTimeout(late.resolve, ENDING_MS)
      await Promise.race([Promise.all([...sessions].map((session) => session.end())), late.promise])
      clearTimeout(timer)
      for (const link of open) link.close()
      await closed
    },
  }
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject).listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
}
