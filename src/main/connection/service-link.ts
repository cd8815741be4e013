/** An owner's connection to the built-in service, which an earlier owner may have started. */
import type { Timing } from '../../node/timing.ts'
import { connectProven } from '../../node/owner-link/connect-owner.ts'
import { readAddress, type Address } from '../../node/owner-link/proof.ts'
import { FromService, type Serving, type ToService } from '../../node/owner-link/service-messages.ts'
import { isOwnerAlive } from '../../node/owner-mark.ts'
import { PROGRAM_VERSION } from '../../node/version.ts'
import type { ServiceJob } from '../../shared/api/resources.ts'

export type ServiceLink = NonNullable<Awaited<ReturnType<typeof connect>>>

/** Whether an owner has left a service running in this data folder. The service may have ended since then. */
export const wasServiceLeft = (dataDir: string): boolean => readAddress(dataDir) !== undefined

/**
 * Connects to the service that runs in a data folder.
 * @param patience how long the service may take to respond or, if it has another version, to end, in ms. After that, it is killed
 * @returns undefined if no service runs there, or if it had to be ended because it couldn't be used
 */
export async function connectService(
  dataDir: string,
  after: Timing['after'],
  patience: number,
): Promise<ServiceLink | undefined> {
  const address = readAddress(dataDir)
  if (address === undefined) return undefined
  const late = Promise.withResolvers<undefined>()
  const cancel = after(patience, () => {
    kill(address)
    late.resolve(undefined)
  })
  const connected = connect(dataDir, address).catch(() => undefined)
  return Promise.race([connected, late.promise]).finally(cancel)
}

async function connect(dataDir: string, address: Address) {
  const serving = Promise.withResolvers<Serving | undefined>()
  const closed = Promise.withResolvers<void>()
  const jobs: ServiceJob[] = []
  let jobEnded: (() => void) | undefined
  const reached = await connectProven<ToService, unknown>(
    dataDir,
    {
      hear(raw) {
        const { data: message } = FromService.safeParse(raw)
        if (message?.type === 'serving') serving.resolve({ baseUrl: message.baseUrl, key: message.key })
        else if (message?.type === 'jobEnded') jobEnded?.()
        else if (message?.type === 'lastJob') jobs.push(message.job)
      },
      closed() {
        serving.resolve(undefined)
        closed.resolve()
      },
    },
    PROGRAM_VERSION,
    'end',
  )
  const served = await (reached && serving.promise)
  if (reached === undefined || served === undefined) return undefined
  return {
    serving: served,
    /** The mark of its process, see `src/node/owner-mark.ts`. */
    mark: address.pid,
    send: (message: ToService): void => reached.link.send(message),
    onJobEnded: (listener: () => void) => void (jobEnded = listener),
    /** Returns the final state of the service's jobs after a clean shutdown; empty otherwise. */
    lastJobs: (): readonly ServiceJob[] => jobs,
    /** Resolves when the service has ended or belongs to another owner. */
    closed: closed.promise,
    kill: () => kill(address),
    /** Resolves when all messages are sent and the connection is closed. */
    end: () => new Promise<void>((resolve) => reached.link.end(() => resolve())),
  }
}

function kill({ pid: mark }: Address): void {
  try {
    if (isOwnerAlive(mark)) process.kill(Number.parseInt(mark, 10), 'SIGKILL')
  } catch {
    // The service has just ended.
  }
}
