/** The built-in service with a cloud drive: a WebDAV server of rclone's behind a gate, and a folder on the disk. */
import { mkdir, readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { DriveStatus, type Job } from '../../../src/shared/api/resources.ts'
import { type RunningService, startService } from '../../conformance/running-service.ts'
import { imageBytes } from '../../conformance/sample-files.ts'
import { type Gate, openGate } from './gate.ts'
import { type Remotes, startRemotes } from './remotes.ts'

export type DriveService = {
  readonly service: RunningService
  readonly remotes: Remotes
  /** Before the remote `gated`, which shows what `dav` shows. */
  readonly gate: Gate
  /** Makes a folder in the drive with these files, PNGs if nothing else is said. @returns its ID */
  folder(name: string, files?: readonly string[] | Readonly<Record<string, Uint8Array>>): Promise<string>
  /** The names in a folder of the drive, sorted. */
  names(folder: string): Promise<string[]>
  status(): Promise<DriveStatus>
  /** Polls until the drive answers, or does not, as wanted. */
  connected(wanted: boolean): Promise<void>
  /** Polls until a job is as wanted. */
  until(jobId: string, isWanted: (job: Job) => boolean): Promise<Job>
  /** Polls until processing and upload have ended. */
  delivered(jobId: string): Promise<Job>
  /** What is left in the private folders of jobs. */
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

/** What `Array.isArray` does not tell of a readonly one. */
const isList = (
  files: readonly string[] | Readonly<Record<string, Uint8Array>>,
): files is readonly string[] => Array.isArray(files)

/** Folders go away while they are read: the service is tidying up. */
async function filesBelow(folder: string): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true })
  const below = entries.map(async (entry) =>
    entry.isDirectory() ? filesBelow(join(folder, entry.name)).catch(goneMeanwhile) : [entry.name],
  )
  return (await Promise.all(below)).flat()
}

/** Only that: a folder that can't be read for another reason says nothing about what is in it. */
function goneMeanwhile(error: unknown): string[] {
  if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return []
  throw error
}
