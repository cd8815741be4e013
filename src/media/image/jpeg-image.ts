/** Opens a JPEG: fixes flaws that leave its image intact, and finds its gain map. */
import type { Metadata } from 'sharp'
import { once } from '../../shared/once.ts'
import { fixJpeg } from './fix-jpeg.ts'
import { readGainMap, readGainMapIn } from './gain-map.ts'
import { sharpSource } from './sharp-source.ts'

/** @param file its path or content */
export async function openJpeg(file: string | Buffer, { orientation = 1 }: Metadata, isUnusual: boolean) {
  const fixed = await fixJpeg(file, isUnusual)
  if (fixed === undefined) {
    const source = sharpSource(file, 'jpeg')
    const gainMap = once(() => readGainMapIn(file, orientation))
    return { source: () => Promise.resolve(source), gainMap }
  }
  const source = sharpSource(fixed.file, 'jpeg')
  return {
    source: () => Promise.resolve(source),
    gainMap: () => readGainMap(fixed.file, orientation),
    content: fixed.file,
    warnings: fixed.warnings,
  }
}
