import { open } from 'node:fs/promises'
import { MOST_PAGES, refuseTooManyPages } from './image-failure.ts'
import { countDirectories, looksLikeTiff } from './tiff/directory.ts'
import { countWebpFrames, looksLikeWebp } from './webp-frames.ts'

/** Refuses too many pages or frames in formats whose decoding time grows faster than their number. */
export async function refuseManyPages(inputPath: string, head: Buffer): Promise<void> {
  const count = looksLikeTiff(head) ? countDirectories : looksLikeWebp(head) ? countWebpFrames : undefined
  if (count === undefined) return
  await using file = await open(inputPath, 'r')
  refuseTooManyPages(await count(file, MOST_PAGES))
}
