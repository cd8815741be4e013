import { readFile } from 'node:fs/promises'
import type * as z from 'zod'
import { processImage } from '../src/media/image/process-image.ts'
import { ImageRecipe } from '../src/shared/preset/preset.ts'

export type Processed = { readonly bytes: Buffer; readonly ms: number }

let made = 0

/** One photo as a worker makes it. @throws ProcessingError as `processImage` does */
export async function processPhoto(
  inputPath: string,
  folder: string,
  recipe: z.input<typeof ImageRecipe>,
): Promise<Processed> {
  const begun = performance.now()
  const { temporaryPath } = await processImage({
    inputPath,
    recipe: ImageRecipe.parse(recipe),
    variation: undefined,
    neverLarger: false,
    temporaryPath: (extension) => `${folder}/made-${(made += 1)}.${extension}`,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  const ms = performance.now() - begun
  return { bytes: await readFile(temporaryPath), ms }
}
