/**
 * Connects the modules of the built-in service. Loaded separately from the program's entry, so that the sandbox is tested while this code
 * loads.
 */
import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { CLEANUP_INTERVAL_MS } from '../shared/api/limits.ts'
import type { PlacementNotes } from '../node/placement-notes.ts'
import type { DriveChoice } from '../node/rclone/index.ts'
import { createRcloneDrive, type Drive } from './drive/index.ts'
import { createHttpServer, openUploadStore, type Timeouts } from './http/index.ts'
import { openPresetStore, type PresetStore } from './presets/presets.ts'
import type { Processing, TemporaryFiles } from './processing/processing.ts'
import { freeBytesOnDisk } from '../node/free-space.ts'
import { createQueue, createWorkFolders } from './queue/index.ts'

export type ServiceOptions = {
  /** Holds uploads and files in transit; with `openService`, also the presets and the drive settings. Created if missing. */
  readonly dataDir: string
  readonly apiKey: string
  readonly processing: Processing
  /** For unfinished files in users' folders. */
  readonly temporaryFiles: TemporaryFiles
  /** The journal of results, for recovery after a crash. */
  readonly placements?: PlacementNotes
  readonly presets: PresetStore
  readonly drive: Drive
  readonly log: (message: string) => void
  /** Called after each job has ended, once `GET /jobs` shows it. */
  readonly onJobEnded?: () => void
  readonly clock?: typeof systemClock
  readonly timeouts?: Timeouts
}

export type Service = Awaited<ReturnType<typeof createService>>

/** Opens the service with the presets and the drive settings in its data folder. `driveChoice` overrides these settings. */
export async function openService(
  options: Omit<ServiceOptions, 'presets' | 'drive'>,
  driveChoice: DriveChoice,
): Promise<Service> {
  const { dataDir, log } = options
  const presets = await openPresetStore({ folder: join(dataDir, 'presets'), log })
  const drive = createRcloneDrive({
    dataDir,
    override: driveChoice,
    env: process.env,
    platform: process.platform,
    now: () => Date.now(),
    log,
  })
  return createService({ ...options, presets, drive })
}

export async function createService(options: ServiceOptions) {
  const { dataDir, apiKey, processing, temporaryFiles, presets, drive, log, timeouts } = options
  const { clock = systemClock, onJobEnded, placements } = options
  const shared = { newId: randomUUID, now: () => clock.now(), freeBytes: freeBytesOnDisk }
  const workFolders = await createWorkFolders(join(dataDir, 'drive-work'))
  const queue = createQueue({ ...shared, processing, workFolders, placements, onJobEnded, log })
  const uploads = await openUploadStore({ ...shared, folder: join(dataDir, 'uploads') })
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
    uploads
      .sweep(queue.inputsInUse())
      .catch((error: unknown) => log(`couldn't remove expired uploads: ${String(error)}`))
    // Repeats the startup sweep. At startup, a killed service may still have been running, or a disk may have been disconnected.
    void temporaryFiles.sweep()
    workFolders.sweep().catch((error: unknown) => log(`couldn't remove old work folders: ${String(error)}`))
  }
  cleanUp()
  const stopCleaning = clock.every(CLEANUP_INTERVAL_MS, cleanUp)

  return {
    /**
     * Listens on 127.0.0.1 only.
     * @param port 0 for any free port
     * @throws an error with code EADDRINUSE if the port is in use
     */
    async listen({ port }: { readonly port: number }) {
      const address = await server.listen({ host: '127.0.0.1', port })
      return { baseUrl: `${address}/api` }
    },
    /**
     * Stops accepting requests, interrupts all jobs and ends the workers. Leaves no partial files.
     * @returns the final state of the jobs
     */
    async close() {
      stopCleaning()
      const [jobs] = await Promise.all([queue.close(), server.close()])
      await Promise.all([uploads.settled(), processing.close(), drive.close()])
      await temporaryFiles.close()
      return jobs
    },
  }
}

const systemClock = {
  /** ms since 1970. */
  now: (): number => Date.now(),
  /** Calls back at an interval in ms. @returns a function that stops it */
  every(intervalMs: number, action: () => void): () => void {
    const timer = setInterval(action, intervalMs)
    timer.unref()
    return () => clearInterval(timer)
  },
}
