import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { succeeds } from '../if-possible.ts'
import { PROGRAM_VERSION } from '../version.ts'
import { linkOver, type Link } from './link.ts'
import type { FromClient, FromOwner, Greeted, Greeting } from './messages.ts'
import { isProof, newChallenge, proofOf, readAddress } from './proof.ts'

export type Reached<Sent extends object = FromClient> = {
  readonly link: Link<Sent>
  readonly pid: number
}

export type Listener<Heard = FromOwner> = {
  hear(message: Heard): void
  closed(): void
}

/** What to request from a process of another version: to make room if it is idle, to hand over, or to end. */
type OtherVersion = 'replace' | 'yield' | 'end'

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
 * Connects to the owner of a data folder. Both sides prove that they can read the folder.
 * @param otherVersion what to request if the owner runs another version
 * @returns undefined if nothing listens, or if the owner is shutting down
 * @throws NotReached if another program listens, or if an owner of another version is busy
 */
export const connectOwner = (
  dataDir: string,
  listener: Listener,
  otherVersion: OtherVersion = 'replace',
): Promise<Reached | undefined> =>
  connectProven<FromClient, FromOwner>(dataDir, listener, PROGRAM_VERSION, otherVersion)

/** Like `connectOwner`, for any process that has written its address into a folder. */
export async function connectProven<Sent extends object, Heard>(
  dataDir: string,
  listener: Listener<Heard>,
  version: string,
  otherVersion: OtherVersion,
): Promise<Reached<Sent> | undefined> {
  const address = readAddress(dataDir)
  const socket = address && (await opened(address.path))
  return socket && proven<Sent, Heard>(socket, dataDir, listener, version, otherVersion)
}

async function opened(path: string): Promise<Socket | undefined> {
  const socket = connect(path)
  return (await succeeds(once(socket, 'connect'))) ? socket : undefined
}

function proven<Sent extends object, Heard>(
  socket: Socket,
  dataDir: string,
  listener: Listener<Heard>,
  version: string,
  otherVersion: OtherVersion,
): Promise<Reached<Sent> | undefined> {
  return new Promise((resolve, reject) => {
    const own = newChallenge()
    /** Process ID of the owner, once it has proven that it can read the folder. */
    let owner: number | undefined
    let isAccepted = false
    let isOther = false
    const link = linkOver<Sent | Greeting | { readonly type: OtherVersion }>(
      socket,
      (raw) => {
        if (isAccepted) return listener.hear(raw as Heard)
        if (isOther) {
          reject(new NotReached('Another version of Mediatray is running. Quit it and try again.'))
          return link.close()
        }
        const message = raw as Greeted
        if (message.type === 'accepted') {
          if (owner === undefined) return link.close()
          isAccepted = true
          return resolve({ link, pid: owner })
        }
        const { challenge, proof, pid } = message
        // The address may have changed since the connection was opened.
        const secret = readAddress(dataDir)?.secret
        if (secret === undefined || !isProof(proof, proofOf(secret, 'owner', [own, challenge]))) {
          reject(new NotReached('A program that isn’t Mediatray listens at Mediatray’s address.'))
          return link.close()
        }
        link.send({ type: 'proof', proof: proofOf(secret, 'client', [challenge, own]) })
        owner = pid
        isOther = message.version !== version
        if (isOther) link.send({ type: otherVersion })
      },
      () => {
        resolve(undefined)
        if (isAccepted) listener.closed()
      },
    )
    link.send({ type: 'hello', version, challenge: own })
  })
}
