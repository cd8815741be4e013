import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue, type Queue } from '../../../src/service/queue/index.ts'
import type { QueueOptions } from '../../../src/service/queue/queue.ts'

/** A queue on a roomy disk that keeps what is on its way from or to a drive below a folder of the test. */
export const queueBelow = (
  folder: string,
  options: Pick<QueueOptions, 'processing' | 'now' | 'newId'>,
): Queue =>
  createQueue({
    ...options,
    freeBytes: () => Promise.resolve(1e12),
    workFolders: {
      async create() {
        const work = join(folder, `work-${randomUUID()}`)
        await mkdir(work)
        return work
      },
      remove: (work) => rm(work, { recursive: true }),
      close: () => Promise.resolve(),
    },
    log: () => {},
  })
