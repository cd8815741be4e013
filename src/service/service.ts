/** Puts the modules of the built-in service together. Who starts it, and with what, is the business of `main.ts`. */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CLEANUP_INTERVAL_MS } from '../shared/api/limits.ts'
import type { Job } from '../shared/api/resources.ts'
import type { Drive } from './drive/index.ts'
import { createHttpServer, openUploadStore, type PresetSource, type Timeouts } from './http/index.ts'
import type { Processing, TemporaryFiles } from './processing/processing.ts'
import { createQueue, createWorkFolders, type FreeBytes, freeBytesOnDisk } from './queue/index.ts'

export type Clock = {
  /** Milliseconds since 1970. */
  now(): number
  /** Calls back every so many ms. @returns what ends it */
  every(intervalMs: number, action: () => void): () => void
}

export type ServiceOptions = {
  /** Holds the uploads, and what is on its way from or to a drive; created when missing. */
  readonly dataDir: string
  readonly apiKey: string
  readonly processing: Processing
  /** For what is still being made in people's folders. */
  readonly temporaryFiles: TemporaryFiles
  readonly presets: PresetSource
  readonly drive: Drive
  readonly log: (message: string) => void
  /** Told each time that a job has ended, as `GET /jobs` says from then on. */
  readonly onJobEnded?: () => void
  readonly clock?: Clock
  readonly newId?: () => string
  readonly freeBytes?: FreeBytes
  readonly timeouts?: Timeouts
}

export type Service = {
  /**
   * Listens on 127.0.0.1 and nowhere else.
   * @param port 0 for any that is free
   * @throws an error with code EADDRINUSE when the port is taken
   */
  listen(options: { readonly port: number }): Promise<{ readonly baseUrl: string }>
  /**
   * Stops taking requests, cancels all jobs, and ends the workers. Nothing half written is left.
   *
   * @returns what has become of the jobs
   */
  close(): Promise<readonly Job[]>
}

export async function createService(options: ServiceOptions): Promise<Service> {
  const { dataDir, apiKey, processing, temporaryFiles, presets, drive, log, timeouts } = options
  const { clock = systemClock, newId = randomUUID, freeBytes = freeBytesOnDisk } = options
  const now = () => clock.now()
  const workFolders = await createWorkFolders(join(dataDir, 'drive-work'))
  const { onJobEnded } = options
  const queue = createQueue({ processing, now, newId, freeBytes, workFolders, onJobEnded, log })
  const uploads = await openUploadStore({ folder: join(dataDir, 'uploads'), newId, now, freeBytes })
  const server = createHttpServer({
    apiKey,
    queue,
    presets,
    drive,
    uploads,
    temporaryName: (folder) => temporaryFiles.nameIn(folder),
    log,
    ...(timeouts ? { timeouts } : {}),
  })

  const cleanUp = () => {
    queue.sweep()
    uploads.sweep(queue.inputsInUse()).catch((error: unknown) => log(`uploads not swept: ${String(error)}`))
  }
  cleanUp()
  const stopCleaning = clock.every(CLEANUP_INTERVAL_MS, cleanUp)

  return {
    async listen({ port }) {
      const address = await server.listen({ host: '127.0.0.1', port })
      return { baseUrl: `${address}/api` }
    },
    async close() {
      stopCleaning()
      const [jobs] = await Promise.all([queue.close(), server.close()])
      await Promise.all([uploads.settled(), processing.close(), drive.close()])
      await temporaryFiles.close()
      return jobs
    },
  }
}

const systemClock: Clock = {
  now: () => Date.now(),
  every(intervalMs, action) {
    const timer = setInterval(action, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
