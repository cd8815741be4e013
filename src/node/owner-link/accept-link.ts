/** Accepts connections from processes that prove that they can read a folder. */
import { chmodSync, rmSync } from 'node:fs'
import { createServer, type Socket } from 'node:net'
import * as z from 'zod'
import { linkOver, type Link } from './link.ts'
import type { Greeted, Greeting, Version } from './messages.ts'
import { isProof, newChallenge, proofOf, removeAddress, writeAddress } from './proof.ts'
import { socketPlace } from './socket-place.ts'

/** How long the other side may take to prove that it may connect, in ms. */
const PROOF_MS = 5_000

const text = z.string().max(200)
const Hello = z.object({
  type: z.literal('hello'),
  version: z.union([z.number(), text]),
  challenge: text,
})
const Proof: z.ZodType<Exclude<Greeting, { type: 'hello' }>> = z.object({
  type: z.literal('proof'),
  proof: text,
})

export type Accepting<Sent extends object> = {
  readonly secret: string
  /** Of this side. */
  readonly version: Version
  /**
   * Called once, after the proof.
   * @returns what hears the messages that follow; if it throws, the connection is closed
   */
  readonly accept: (link: Link<Sent>, version: Version) => (message: unknown) => void
  /** Called once, also if nothing was proven. */
  readonly onClose: () => void
}

export function acceptLink<Sent extends object>(
  socket: Socket,
  { secret, version, accept, onClose }: Accepting<Sent>,
): Link<Sent> {
  const own = newChallenge()
  let theirs: z.infer<typeof Hello> | undefined
  let hear: ((message: unknown) => void) | undefined
  const timer = setTimeout(() => link.close(), PROOF_MS).unref()
  const link = linkOver<Sent | Greeted>(
    socket,
    (raw) => {
      if (hear !== undefined) return hear(raw)
      if (theirs === undefined) {
        theirs = Hello.parse(raw)
        const proof = proofOf(secret, 'owner', [theirs.challenge, own])
        return link.send({ type: 'proof', version, challenge: own, proof, pid: process.pid })
      }
      if (!isProof(Proof.parse(raw).proof, proofOf(secret, 'client', [own, theirs.challenge])))
        return link.close()
      clearTimeout(timer)
      hear = accept(link, theirs.version)
    },
    () => {
      clearTimeout(timer)
      onClose()
    },
  )
  return link
}

export type LinkListener = {
  /** Removes what the folder says about how to reach this process. */
  hide(): void
  /** Stops accepting. Resolves when all connections are closed. */
  close(): Promise<void>
}

/**
 * Listens at the folder's socket, and writes into the folder how to reach it. Only one process may listen for a folder at a time.
 * @param dataDir absolute; exists
 * @param pid how others tell whether this process still runs
 * @throws the system's error if there can't be a socket
 */
export async function listenForLinks(
  dataDir: string,
  place: Parameters<typeof socketPlace>[1],
  take: (socket: Socket, secret: string) => void,
  pid?: string,
): Promise<LinkListener> {
  const path = socketPlace(dataDir, place)
  const address = writeAddress(dataDir, path, pid)
  const server = createServer((socket) => take(socket, address.secret))
  // The file of an earlier process that was killed.
  if (place.platform !== 'win32') rmSync(path, { force: true })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })
  if (place.platform !== 'win32') chmodSync(path, 0o600)
  return {
    hide: () => removeAddress(dataDir, address),
    close: () => new Promise((resolve) => void server.close(() => resolve())),
  }
}
