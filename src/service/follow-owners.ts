/**
 * Connects the service to the owners of a data folder, one after the other. Each owner takes over the running service with its jobs, even
 * if the previous owner has died. An owner of another version can only end the service. Without an owner, the service ends after a while.
 */
import { acceptLink, listenForLinks } from '../node/owner-link/accept-link.ts'
import type { Link } from '../node/owner-link/link.ts'
import { ToService, type FromService, type Serving } from '../node/owner-link/service-messages.ts'
import { OWN_MARK } from '../node/owner-mark.ts'
import type { ServiceJob } from '../shared/api/resources.ts'
import type { Steering } from '../shared/steering.ts'

/** How long the service runs without an owner, in ms. */
const ALONE_MS = 10_000

export type FollowedOwners = Awaited<ReturnType<typeof followOwners>>

/**
 * Listens for owners.
 * @param dataDir absolute; exists
 * @param options `version`: version of the owner that started the service
 */
export async function followOwners(
  dataDir: string,
  options: {
    readonly version: string
    readonly serving: Serving
    readonly aloneMs?: number
    readonly steer: (steering: Steering) => void
    readonly onEnd: () => void
  },
) {
  const { version, serving, aloneMs = ALONE_MS, steer, onEnd } = options
  let owner: Link<FromService> | undefined
  let hadOwner = false
  let hasLeft = false
  let isClosing = false
  /** Ends the service if no new owner connects in time. Starts when an owner has disconnected. */
  let alone: NodeJS.Timeout | undefined

  function hear(message: ToService): void {
    if (message.type === 'end') onEnd()
    else if (message.type === 'leave') hasLeft = true
    else steer(message)
  }

  const listener = await listenForLinks(
    dataDir,
    process,
    (socket, secret) => {
      const link = acceptLink<FromService>(socket, {
        secret,
        version,
        isOpen: () => !isClosing,
        accept(proven, theirs) {
          const isOther = theirs !== version
          if (!isOther) {
            clearTimeout(alone)
            owner?.close()
            owner = proven
            hadOwner = true
            hasLeft = false
            proven.send({ type: 'serving', ...serving })
          }
          return (raw) => {
            const message = ToService.parse(raw)
            if (!isOther || message.type === 'end') hear(message)
          }
        },
        onClose() {
          if (owner !== link) return
          owner = undefined
          if (!isClosing) alone = setTimeout(onEnd, aloneMs)
        },
      })
    },
    { pid: OWN_MARK },
  )
  return {
    /** Whether an owner has ever connected. Until then, the process that started the service is responsible. */
    hadOwner: (): boolean => hadOwner,
    jobEnded: (): void => owner?.send({ type: 'jobEnded' }),
    /** Call this when the service starts to shut down, so that no other owner connects. */
    closing(): void {
      isClosing = true
      clearTimeout(alone)
      listener.hide()
      void listener.close()
    },
    /**
     * Sends the last state of the jobs.
     * @returns whether an owner has received them, or has left the service on purpose
     */
    async end(jobs: readonly ServiceJob[]): Promise<boolean> {
      const reader = owner
      if (reader === undefined) return hasLeft
      for (const job of jobs) reader.send({ type: 'lastJob', job })
      return new Promise((resolve) => reader.end((error) => resolve(!error)))
    },
  }
}
