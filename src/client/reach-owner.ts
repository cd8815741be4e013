/** Connects to the owner of the data folder: the app, or a host that is started in the background. */
import { spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import { dataFolder, type Places } from '../node/data-folder.ts'
import { linkOver, type Link } from '../node/owner-link/link.ts'
import { VERSION, type FromClient, type FromOwner } from '../node/owner-link/messages.ts'
import { isProof, newChallenge, proofOf, readSecret } from '../node/owner-link/proof.ts'
import { socketPlace } from '../node/owner-link/socket-place.ts'

/** How long an owner may take until it can be reached, in ms. It may be starting, or handing over. */
const PATIENCE_MS = 15_000
const RETRY_MS = 20

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
}

/**
 * @param host path of the host's script
 * @throws NotReached
 */
export async function reachOwner(place: Places, host: string, listener: Listener): Promise<Reached> {
  const dataDir = dataFolder(place)
  mkdirSync(dataDir, { recursive: true, mode: 0o700 })
  const path = socketPlace(dataDir, place)
  const until = performance.now() + PATIENCE_MS
  for (let isFirst = true; ; isFirst = false) {
    const socket = await opened(path)
    const reached = socket && (await proven(socket, dataDir, listener))
    if (reached !== undefined) return reached
    if (performance.now() > until)
      throw new NotReached(`Another program uses Mediatray’s data and doesn’t respond: ${dataDir}.`)
    if (socket === undefined) await start(host, dataDir)
    if (!isFirst) await sleep(RETRY_MS)
  }
}

function opened(path: string): Promise<Socket | undefined> {
  return new Promise((resolve) => {
    const socket = connect(path)
    socket.once('connect', () => resolve(socket)).once('error', () => resolve(undefined))
  })
}

/** @returns undefined if the owner is ending @throws NotReached if another program listens there */
function proven(socket: Socket, dataDir: string, listener: Listener): Promise<Reached | undefined> {
  return new Promise((resolve, reject) => {
    const own = newChallenge()
    let isProven = false
    const link = linkOver<FromClient>(
      socket,
      (raw) => {
        const message = raw as FromOwner
        if (isProven) return listener.hear(message)
        if (message.type !== 'proof') return link.close()
        const { challenge, proof, version, pid } = message
        const secret = readSecret(dataDir)
        if (!isProof(proof, proofOf(secret, 'owner', [own, challenge]))) {
          reject(new NotReached('A program that isn’t Mediatray listens at Mediatray’s address.'))
          return link.close()
        }
        if (version !== VERSION) {
          reject(new NotReached('Another version of Mediatray is running. Quit it and try again.'))
          return link.close()
        }
        isProven = true
        link.send({ type: 'proof', proof: proofOf(secret, 'client', [challenge, own]) })
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

/** Variables that are for one command only, or that would make the host run other code. */
const NOT_INHERITED = new Set(['MEDIATRAY_API_KEY', 'MEDIATRAY_BASE_URL', 'NODE_OPTIONS'])

/** Starts a host. Resolves when it listens or has ended. @throws NotReached if it can't own the folder */
async function start(host: string, dataDir: string): Promise<void> {
  const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !NOT_INHERITED.has(name)))
  const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', host], {
    detached: true,
    windowsHide: true,
    stdio: ['ignore', 'pipe', 'ignore'],
    env: { ...env, MEDIATRAY_DATA_DIR: dataDir },
  })
  const failed = new Promise<string>((resolve) => {
    child.once('error', ({ message }) => resolve(JSON.stringify({ kind: 'failed', message })))
  })
  const lines = createInterface({ input: child.stdout })
  const said = new Promise<string>((resolve) => {
    lines.once('line', resolve).once('close', () => resolve('{}'))
  })
  const news: { readonly kind?: string; readonly message?: string } = JSON.parse(
    await Promise.race([said, failed]),
  )
  lines.close()
  child.stdout.destroy()
  child.unref()
  if (news.kind === 'failed') throw new NotReached(`Couldn’t open Mediatray’s data: ${news.message ?? ''}`)
}
