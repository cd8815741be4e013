/** Connects to the owner of a data folder and proves that this process can read that folder. */
import { connect, type Socket } from 'node:net'
import { linkOver, type Link } from './link.ts'
import { VERSION, type FromClient, type FromOwner } from './messages.ts'
import { isProof, newChallenge, proofOf, readAddress } from './proof.ts'

export type Reached = {
  readonly link: Link<FromClient>
  /** Process ID of the owner. */
  readonly pid: number
}

export type Listener = {
  hear(message: FromOwner): void
  closed(): void
}

/** Thrown with a sentence for the user if no owner can be reached. */
export class NotReached extends Error {
  override readonly name = 'NotReached'
  /** Exit code of docs/cli.md. */
  readonly code: number

  constructor(message: string, code = 4) {
    super(message)
    this.code = code
  }
}

/**
 * @param otherVersion what an owner of another version is asked for
 * @returns undefined if no one listens, or if the owner is ending
 * @throws NotReached if another program listens, or an owner of another version that has work
 */
export async function connectOwner(
  dataDir: string,
  listener: Listener,
  otherVersion: 'replace' | 'yield' = 'replace',
): Promise<Reached | undefined> {
  const address = readAddress(dataDir)
  const socket = address && (await opened(address.path))
  return socket && proven(socket, dataDir, listener, otherVersion)
}

function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}

function proven(
  socket: Socket,
  dataDir: string,
  listener: Listener,
  otherVersion: 'replace' | 'yield',
): Promise<Reached | undefined> {
  return new Promise((resolve, reject) => {
    const own = newChallenge()
    let isProven = false
    let isOther = false
    const link = linkOver<FromClient>(
      socket,
      (raw) => {
        const message = raw as FromOwner
        if (isProven) return listener.hear(message)
        if (isOther) {
          reject(new NotReached('Another version of Mediatray is running. Quit it and try again.'))
          return link.close()
        }
        if (message.type !== 'proof') return link.close()
        const { challenge, proof, version, pid } = message
        // It may have changed since.
        const secret = readAddress(dataDir)?.secret
        if (secret === undefined || !isProof(proof, proofOf(secret, 'owner', [own, challenge]))) {
          reject(new NotReached('A program that isn’t Mediatray listens at Mediatray’s address.'))
          return link.close()
        }
        link.send({ type: 'proof', proof: proofOf(secret, 'client', [challenge, own]) })
        isOther = version !== VERSION
        if (isOther) return link.send({ type: otherVersion })
        isProven = true
        resolve({ link, pid })
      },
      () => {
        resolve(undefined)
        if (isProven) listener.closed()
      },
    )
    link.send({ type: 'hello', version: VERSION, challenge: own })
  })
}
