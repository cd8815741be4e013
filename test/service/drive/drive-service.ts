/** The built-in service with a cloud drive: rclone's WebDAV server behind a gate, and a folder on disk. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DriveStatus, type ServiceJob } from '../../../src/shared/api/resources.ts'
import { type RunningService, startService } from '../../conformance/running-service.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { type Gate, openGate } from './gate.ts'
import { type Remotes, startRemotes } from './remotes.ts'

export type DriveService = {
  readonly service: RunningService
  readonly remotes: Remotes
  /** The gate in front of the remote `gated`, which has the same content as `dav`. */
  readonly gate: Gate
  /**
   * Creates a folder in the drive with these files; names alone become PNGs.
   * @returns its ID
   */
  folder(name: string, files?: readonly string[] | Readonly<Record<string, Uint8Array>>): Promise<string>
  /** Sorted file names of a folder in the drive. */
  names(folder: string): Promise<string[]>
  status(): Promise<DriveStatus>
  /** Polls until the drive is connected, or disconnected. */
  connected(wanted: boolean): Promise<void>
  /** Polls until a job meets the condition, and returns that job. */
  until(jobId: string, isWanted: (job: ServiceJob) => boolean): Promise<ServiceJob>
  /** Polls until processing and upload have ended, and returns the job. */
  delivered(jobId: string): Promise<ServiceJob>
  /** Files that remain in the jobs' private folders. */
  leftovers(): Promise<string[]>
  stop(): Promise<void>
}

export async function startDriveService(remote = 'gated'): Promise<DriveService> {
  const remotes = await startRemotes()
  const gate = await openGate(remotes.davPort)
  await remotes.add('gated', { type: 'webdav', url: gate.url, vendor: 'other' })
  process.env['RCLONE_CONFIG'] = remotes.config
  const service = await startService(['--drive-remote', remote])
  const root = remote === 'disk' ? remotes.diskRoot : remotes.davRoot

  const status = async () => DriveStatus.parse(await (await service.call('/drive/status')).json())
  const until: DriveService['until'] = async (jobId, isWanted) => {
    for (;;) {
      const job = await service.job(jobId)
      if (isWanted(job)) return job
      await sleep(20)
    }
  }
  return {
    service,
    remotes,
    gate,
    async folder(name, files = []) {
      await mkdir(join(root, name), { recursive: true })
      const png = await imageBytes('png')
      const entries = isList(files) ? files.map((file) => [file, png] as const) : Object.entries(files)
      for (const [file, bytes] of entries) await writeFile(join(root, name, file), bytes)
      return name
    },
    names: async (folder) => (await readdir(join(root, folder))).toSorted(),
    status,
    async connected(wanted) {
      while ((await status()).connected !== wanted) await sleep(50)
    },
    until,
    delivered: (jobId) =>
      until(
        jobId,
        ({ status: state, drive }) =>
          !['queued', 'processing'].includes(state) &&
          (state === 'failed' || Boolean(drive?.uploadResult) || typeof drive?.uploadError === 'string'),
      ),
    leftovers: () => filesBelow(join(service.folder, 'data', 'drive-work')),
    async stop() {
      await service.stop()
      await gate.close()
      await remotes.stop()
      delete process.env['RCLONE_CONFIG']
    },
  }
}

/** Replaces `Array.isArray`, which doesn't narrow the type of a readonly array. */
const isList = (
  files: readonly string[] | Readonly<Record<string, Uint8Array>>,
): files is readonly string[] => Array.isArray(files)

/** Returns the names of all files below a folder. Folders can disappear during the read, because the service cleans up. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const below = entries.map(async (entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)).catch(ignoreMissing) : [entry.name],
  )
  return (await Promise.all(below)).flat()
}

/** Ignores only ENOENT: a folder that is unreadable for another reason may still contain files. */
function ignoreMissing(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
