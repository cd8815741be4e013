import { randomUUID } from 'node:crypto'
import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { createQueue, type JobPlan, type Queue } from '../../../src/service/queue/index.ts'
import { ImageRecipe, ResultRules, VariationRanges, VideoRecipe } from '../../../src/shared/preset/preset.ts'

/** Creates a queue with enough disk space. It keeps drive transfers below the test's folder. */
export const queueBelow = (
  folder: string,
  options: Pick<Parameters<typeof createQueue>[0], 'processing' | 'now' | 'newId'> &
    Partial<Parameters<typeof createQueue>[0]>,
): Queue =>
  createQueue({
    freeBytes: () => Promise.resolve(1e12),
    workFolders: {
      async create() {
        const work = join(folder, `work-${randomUUID()}`)
        await mkdir(work)
        return work
      },
      remove: (work) => rm(work, { recursive: true }),
      sweep: () => Promise.resolve(),
      close: () => Promise.resolve(),
    },
    log: () => {},
    ...options,
  })

/** A job without a preset that processes files of a folder into the same folder. */
export const planOf = (folder: string, names: readonly string[], more: Partial<JobPlan> = {}): JobPlan => ({
  type: names.length * (more.batchCount ?? 1) === 1 ? 'single' : 'batch',
  presetName: 'basic',
  recipes: new Map([
    ['image', { kind: 'image', image: ImageRecipe.parse({}) }],
    ['video', { kind: 'video', video: VideoRecipe.parse({}) }],
  ]),
  ranges: VariationRanges.parse({}),
  rules: ResultRules.parse({}),
  subfolders: new Map(),
  source: {
    kind: 'files',
    inputs: names.map((name) => ({
      path: join(folder, name),
      kind: name.endsWith('.mp4') ? 'video' : 'image',
      work: 1,
    })),
  },
  batchCount: 1,
  target: { kind: 'folder', path: folder },
  ...more,
})
