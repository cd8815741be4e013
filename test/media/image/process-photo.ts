/** Runs one photo through all the steps of a worker, in the test's folder. */
import { readFile, writeFile } from 'node:fs/promises'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { beforeEach, expect } from 'vitest'
import type * as z from 'zod'
import { processImage } from '../../../src/media/image/process-image.ts'
import type { FileJob } from '../../../src/media/protocol.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder = ''
let made = 0

/** Creates and removes a folder for each test's photos. Call it at the top of a test file. */
export function usePhotoFolder(): void {
  beforeEach(() => {
    folder = temporaryFolder()
  })
}

export async function photoFile(name: string, content: Sharp | Buffer): Promise<string> {
  const target = path.join(folder, name)
  await writeFile(target, Buffer.isBuffer(content) ? content : await content.toBuffer())
  return target
}

export type PhotoRecipe = z.input<typeof ImageRecipe>

/** Removes all metadata. The quality is high enough that pixels are copied if possible. */
export const REMOVING = { quality: 92, metadata: 'strip' } as const satisfies PhotoRecipe

export const photoJob = (inputPath: string, recipe: PhotoRecipe = {}): FileJob<ImageRecipe> => ({
  inputPath,
  recipe: ImageRecipe.parse(recipe),
  variation: undefined,
  neverLarger: false,
  temporaryPath: (extension) => path.join(folder, `.out-${++made}.${extension}`),
  onProgress: () => {},
  signal: new AbortController().signal,
})

/** Also checks that the original is unchanged. */
export async function processPhoto(
  inputPath: string,
  recipe: PhotoRecipe = {},
  changes: Partial<Pick<FileJob<ImageRecipe>, 'variation' | 'neverLarger'>> = {},
) {
  const before = await readFile(inputPath)
  const handedOut: string[] = []
  const job = photoJob(inputPath, recipe)
  const temporaryPath = (extension: string) => {
    const handed = job.temporaryPath(extension)
    handedOut.push(handed)
    return handed
  }
  const finished = await processImage({ ...job, temporaryPath, ...changes })
  expect(await readFile(inputPath)).toEqual(before)
  const output = finished.temporaryPath
  return { ...finished, output, handedOut, bytes: await readFile(output) }
}

/** Processes a photo with this content. */
export const processContent = async (
  name: string,
  content: Sharp | Buffer,
  ...rest: Parameters<typeof processPhoto> extends [string, ...infer Rest] ? Rest : never
) => processPhoto(await photoFile(name, content), ...rest)

/** Returns the pixels, row by row, and their format. */
export const rawOf = (image: Sharp) => image.raw().toBuffer({ resolveWithObject: true })

/** Inserts bytes into a file. */
export const inserted = (file: Buffer, at: number, ...added: readonly Buffer[]): Buffer =>
  Buffer.concat([file.subarray(0, at), ...added, file.subarray(at)])

/** Inserts chunks behind the header of a PNG. */
export const withChunks = (png: Buffer, ...chunks: readonly Buffer[]): Buffer => inserted(png, 33, ...chunks)

/** Writes unsigned 32-bit numbers at these offsets, least significant bytes first. */
export function writeLongs(bytes: Buffer, values: Readonly<Record<number, number>>): void {
  for (const [at, value] of Object.entries(values)) bytes.writeUInt32LE(value, Number(at))
}

/** Mean difference of two images' values. Both must have the same number of values. */
export function meanDifference(one: ArrayLike<number>, other: ArrayLike<number>): number {
  expect(one.length).toBe(other.length)
  const sum = Array.from(one).reduce(
    (total, value, index) => total + Math.abs(value - (other[index] ?? 0)),
    0,
  )
  return sum / one.length
}

/** Draws soft shapes with fine grain, which compress about as well as a real photo. The pixels are always the same. */
export function samplePhoto(width = 480, height = 320): Sharp {
  const pixels = Buffer.alloc(width * height * 3)
  let seed = 7
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0
      const grain = ((seed >>> 16) % 31) - 15
      const ring = Math.sin(Math.hypot(x - width * 0.4, y - height * 0.5) / 9) * 40
      const edge = (x >> 5) % 2 === (y >> 5) % 2 ? 25 : -25
      const light = 120 + ring + (x > width * 0.6 ? edge : 0) + grain
      const at = (y * width + x) * 3
      for (const [channel, tint] of [30, 0, -40].entries())
        pixels[at + channel] = Math.max(0, Math.min(255, light + tint + (y / height) * 40))
    }
  return sharp(pixels, { raw: { width, height, channels: 3 } })
}
