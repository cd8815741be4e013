/** Runs videos through all the steps of a worker, in a folder of the test file. */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect } from 'vitest'
import type { FileJob, FinishedFile } from '../../../src/media/protocol.ts'
import type { HardwareEncoder } from '../../../src/media/video/hardware-encoders.ts'
import { processVideo } from '../../../src/media/video/process-video.ts'
import { VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { type Clip, evenTimes, makeClip } from './make-clip.ts'
import { type ReadClip, readClip } from './read-clip.ts'

export type JobChanges = Partial<
  Pick<FileJob<VideoRecipe>, 'variation' | 'neverLarger' | 'signal' | 'onProgress' | 'temporaryPath'>
> & {
  /** Hardware encoders to use. Default: none, so that results are the same on every computer. */
  readonly chips?: readonly HardwareEncoder[]
  /** Destination of the result. Default: the folder of the test file. */
  readonly folder?: string
}

let clipFolder = ''
let clips = 0
let jobs = 0

/** Creates and removes a folder for the videos of a test file. Call it at the top of the file. */
export function useClipFolder(): void {
  beforeAll(async () => {
    clipFolder = await mkdtemp(join(tmpdir(), 'mediatray-clips-'))
  })
  afterAll(() => rm(clipFolder, { recursive: true, force: true }))
}

export const inClipFolder = (name: string): string => join(clipFolder, name)

/** Creates a video of 160 × 90 with twelve frames at 25 per second, with these changes. */
export async function clip(changes: Partial<Clip> = {}, extension = 'mp4'): Promise<string> {
  const path = inClipFolder(`clip-${++clips}.${extension}`)
  await makeClip(path, { width: 160, height: 90, times: evenTimes(12, 25), ...changes })
  return path
}

/** Adds fast encoding with a decent quality. A recipe with an explicit quality always re-encodes. */
function withQuality(recipe: Partial<VideoRecipe>): Partial<VideoRecipe> {
  const { bitrate, codec } = recipe
  const quality = bitrate !== undefined || codec === 'copy' ? {} : { crf: 28 }
  return { speed: 'ultrafast', ...quality, ...recipe }
}

/** @param recipe `crf: undefined` for one without an explicit quality */
export function runJob(
  inputPath: string,
  recipe: Partial<VideoRecipe> = {},
  { chips = [], ...changes }: JobChanges = {},
): Promise<FinishedFile> {
  return processVideo(videoJob(inputPath, recipe, changes), chips)
}

/** Runs a job and decodes its result. Its size is the stored one, before any display matrix. */
export async function resultOf(...job: Parameters<typeof runJob>): Promise<FinishedFile & ReadClip> {
  const finished = await runJob(...job)
  const read = await readClip(finished.temporaryPath)
  const [width, height] = read.hasDisplayMatrix ? [read.height, read.width] : [read.width, read.height]
  expect({ width: finished.width, height: finished.height }).toEqual({ width, height })
  return { ...finished, ...read }
}

export function videoJob(
  inputPath: string,
  recipe: Partial<VideoRecipe>,
  { folder = clipFolder, ...changes }: Omit<JobChanges, 'chips'> = {},
): FileJob<VideoRecipe> {
  const name = `result-${++jobs}`
  let files = 0
  return {
    inputPath,
    recipe: VideoRecipe.parse(withQuality(recipe)),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => join(folder, `${name}-${++files}.${extension}`),
    onProgress: () => undefined,
    signal: new AbortController().signal,
    ...changes,
  }
}
