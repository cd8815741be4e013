/** One photo through everything that a worker does with it, in a folder of the test's own. */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import sharp, { type Sharp } from 'sharp'
import { afterEach, beforeEach } from 'vitest'
import type * as z from 'zod'
import { processImage } from '../../../src/media/image/process-image.ts'
import { ImageRecipe } from '../../../src/shared/preset/preset.ts'

let folder = ''
let made = 0

/** To be called where a file's tests begin. */
export function usePhotoFolder(): void {
  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'mediatray-photo-'))
  })
  afterEach(() => rm(folder, { recursive: true, force: true }))
}

export async function photoFile(name: string, content: Sharp | Buffer): Promise<string> {
  const target = path.join(folder, name)
  await writeFile(target, Buffer.isBuffer(content) ? content : await content.toBuffer())
  return target
}

export async function processPhoto(inputPath: string, recipe: z.input<typeof ImageRecipe> = {}) {
  const finished = await processImage({
    inputPath,
    recipe: ImageRecipe.parse(recipe),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => path.join(folder, `.out-${++made}.${extension}`),
    onProgress: () => {},
    signal: new AbortController().signal,
  })
  return { ...finished, output: finished.temporaryPath, bytes: await readFile(finished.temporaryPath) }
}

/** Soft shapes with fine grain, so that it compresses about as a real photo does. Always the same. */
export function madePhoto(width = 480, height = 320): Sharp {
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
