/** Accepts connections from processes that prove that they can read a folder. */
import { once } from 'node:events'
import { chmodSync, existsSync, statSync } from 'node:fs'
import { createServer, type Server, type Socket } from 'node:net'
import type * as z from 'zod'
import { linkOver, type Link } from './link.ts'
import { ClientsProof, type Greeted, Hello } from './messages.ts'
import {
  addressVersion,
  isProof,
  newChallenge,
  proofOf,
  readAddress,
  removeAddress,
  writeAddress,
} from './proof.ts'
import { freeOfSockets, socketPlace, type SocketPlace } from './socket-place.ts'

/** How long the other side may take to prove that it may connect, in ms. */
const PROOF_MS = 5_000

export type Accepting<Sent extends object> = {
  readonly secret: string
  readonly version: string
  /** Whether connections are still accepted. If not, the other side looks for the next process. */
  readonly isOpen: () => boolean
  /**
   * Called once, after the proof.
   * @returns the listener for the messages that follow; if it throws, the connection is closed
   */
  readonly accept: (link: Link<Sent>, version: string) => (message: unknown) => void
  /** Called once, even if the other side didn't prove anything. */
  readonly onClose: () => void
}

export function acceptLink<Sent extends object>(
  socket: Socket,
  { secret, version, isOpen, accept, onClose }: Accepting<Sent>,
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
      if (!isProof(ClientsProof.parse(raw).proof, proofOf(secret, 'client', [own, theirs.challenge])))
        return link.close()
      if (!isOpen()) return link.close()
      clearTimeout(timer)
      if (theirs.version === version) link.send({ type: 'accepted' })
      hear = accept(link, theirs.version)
    },
    () => {
      clearTimeout(timer)
      onClose()
    },
  )
  return link
}

/** How often to check whether this process can still be reached, in ms. */
const CHECK_MS = 5_000

export type Keeping = {
  /** A process ID or a mark that other processes use to check whether this process still runs. Defaults to its process ID. */
  readonly pid?: string
  /** Whether this process still owns the folder. By default, it does until another process writes its own address. */
  readonly owns?: () => boolean
  /** Called at every check while another process may own the folder, or while another folder is at its path. */
  readonly onLost?: () => void
}

/**
 * Listens at a socket, and writes its address into the folder. Restores the socket or the address if something removes it, for example a
 * logout. Only one process may listen for a folder at a time.
 * @param dataDir absolute; exists
 * @throws the system's error if the socket can't be created
 */
export async function listenForLinks(
  dataDir: string,
  place: SocketPlace,
  take: (socket: Socket, secret: string) => void,
  { pid, owns, onLost }: Keeping = {},
) {
  const secret = newChallenge()
  const identity = identityOf(dataDir)
  const servers = new Map<Server, Promise<void>>()
  let path = ''
  /** The version of the address file that this process last wrote. */
  let written: string | undefined
  const hasSocket = () => path !== '' && (place.platform === 'win32' || existsSync(path))
  const hasAddress = () => written !== undefined && addressVersion(dataDir) === written

  function write(): void {
    writeAddress(dataDir, path, pid, secret)
    written = addressVersion(dataDir)
  }

  async function listen(): Promise<void> {
    const next = socketPlace(dataDir, place)
    const server = createServer((socket) => take(socket, secret))
    await once(server.listen(next), 'listening')
    if (place.platform !== 'win32') chmodSync(next, 0o600)
    for (const earlier of servers.keys()) earlier.close()
    servers.set(server, new Promise((resolve) => void server.once('close', resolve)))
    path = next
    write()
  }

  async function keep(): Promise<void> {
    const found = identityOf(dataDir)
    // The folder's disk may be connected again.
    if (found === undefined) return
    const isWritten = hasAddress()
    const isOwner = owns?.() ?? (isWritten || [undefined, secret].includes(readAddress(dataDir)?.secret))
    if (found !== identity || !isOwner) return onLost?.()
    if (!hasSocket()) return listen()
    if (!isWritten) write()
  }

  await freeOfSockets(dataDir, place)
  await listen()
  let keeping = Promise.resolve()
  // A check that fails, for example because the disk is full, may succeed the next time.
  const timer = setInterval(() => {
    keeping = keep().catch(() => undefined)
  }, CHECK_MS).unref()
  return {
    /** Removes this process's address from the folder and stops restoring it. */
    hide(): void {
      clearInterval(timer)
      removeAddress(dataDir, secret)
    },
    /** Stops accepting. Resolves when all connections are closed. */
    async close(): Promise<void> {
      clearInterval(timer)
      await keeping
      for (const server of servers.keys()) server.close()
      await Promise.all(servers.values())
    },
  }
}

/** Identifies a folder; undefined if it doesn't exist. */
function identityOf(folder: string): string | undefined {
  const found = statSync(folder, { bigint: true, throwIfNoEntry: false })
  // A new folder may have the inode of a deleted one, but not its time of creation.
  return found && [found.dev, found.ino, found.birthtimeNs].join()
}
