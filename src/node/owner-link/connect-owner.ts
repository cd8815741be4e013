/** Connects to the owner of a data folder and proves that this process can read that folder. */
import { connect, type Socket } from 'node:net'
import { PROGRAM_VERSION } from '../version.ts'
import { linkOver, type Link } from './link.ts'
import { type FromClient, type FromOwner, type Greeted, type Greeting } from './messages.ts'
import { isProof, newChallenge, proofOf, readAddress } from './proof.ts'

export type Reached<Sent extends object = FromClient> = {
  readonly link: Link<Sent>
  /** Process ID of the owner. */
  readonly pid: number
}

export type Listener<Heard = FromOwner> = {
  hear(message: Heard): void
  closed(): void
}

/** What a process of another version is asked for: to make room if it has nothing to do, to hand over, or to end. */
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
 * @param otherVersion what an owner of another version is asked for
 * @returns undefined if no one listens, or if the owner is ending
 * @throws NotReached if another program listens, or an owner of another version that has work
 */
export const connectOwner = (
  dataDir: string,
  listener: Listener,
  otherVersion: OtherVersion = 'replace',
): Promise<Reached | undefined> =>
  connectProven<FromClient, FromOwner>(dataDir, listener, PROGRAM_VERSION, otherVersion)

/** Like `connectOwner`, for any process that has written how it can be reached. */
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

function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
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
    /** Its proof was right. */
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
        // It may have changed since.
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
