/** Where a result says its pixels are on a map. */
import { describe, expect, it } from 'vitest'
import { readMetadata } from '../../../src/media/metadata/read-metadata.ts'
import { makeTiff } from '../image/make-tiff.ts'
import { photoFile, type PhotoRecipe, processPhoto, usePhotoFolder } from '../image/process-photo.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'

usePhotoFolder()

const [SCALE, TIE_POINTS, MATRIX, KEYS, NO_DATA] = [33_550, 33_922, 34_264, 34_735, 42_113]
type Tags = NonNullable<Parameters<typeof makeTiff>[0]['tags']>

const sample = (x: number, y: number) => x * 3 + y * 3

/** Converts a map of 48 × 32 pixels. Returns the numbers of its tags. */
async function converted(tags: Tags, recipe: PhotoRecipe, isBigEndian = false) {
  const file = await photoFile('map.tiff', makeTiff({ sample, tags, isBigEndian }))
  const { temporaryPath, losses } = await processPhoto(file, { metadata: 'keep', ...recipe })
  const { geo } = await readMetadata(temporaryPath, 'tiff')
  const numbers = (geo?.entries ?? []).map(({ tag, ...entry }) => {
    if (!('bytes' in entry)) return [tag, []] as const
    const { bytes, count, type } = entry
    const at = (index: number) =>
      type === 12 ? bytes.readDoubleLE(index * 8) : bytes.readUInt16LE(index * 2)
    return [
      tag,
      type === 7 ? bytes.toString() : Array.from({ length: count }, (_, index) => at(index)),
    ] as const
  })
  return { tags: Object.fromEntries(numbers), lost: losses.map(({ code }) => code) }
}

const HALF = { size: { width: 24 } } satisfies PhotoRecipe
const CENTERS = [1, 1, 0, 1, 1025, 0, 1, 2]
const onMap = {
  [SCALE]: new Float64Array([2, 3, 0]),
  [TIE_POINTS]: new Float64Array([10, 20, 0, 500, 700, 0]),
}

describe('a map as TIFF', () => {
  it.each(firstOf([false, true]))(
    'stays where it is when it shrinks (big-endian: %s)',
    async (isBigEndian) => {
      const tags = { ...onMap, [NO_DATA]: Buffer.from('-99\0') }
      expect(await converted(tags, HALF, isBigEndian)).toEqual({
        tags: { [SCALE]: [4, 6, 0], [TIE_POINTS]: [5, 10, 0, 500, 700, 0], [NO_DATA]: '-99\0' },
        lost: [],
      })
    },
  )

  itInLongSuite('counts from the centers of pixels if the original does', async () => {
    const { tags } = await converted({ ...onMap, [KEYS]: CENTERS }, HALF)
    expect(tags[TIE_POINTS]).toEqual([4.75, 9.75, 0, 500, 700, 0])
    expect(tags[KEYS]).toEqual(CENTERS)
  })

  it('moves by what a crop removes', async () => {
    const { tags } = await converted(onMap, { crop: { aspect: 1 } })
    expect(tags).toEqual({ [SCALE]: [2, 3, 0], [TIE_POINTS]: [2, 20, 0, 500, 700, 0] })
    const matrix = new Float64Array([2, 0, 0, 480, 0, -3, 0, 760, 0, 0, 0, 0, 0, 0, 0, 1])
    const moved = await converted({ [MATRIX]: matrix }, { crop: { aspect: 1 } })
    expect(moved.tags).toEqual({ [MATRIX]: [2, 0, 0, 496, 0, -3, 0, 760, 0, 0, 0, 0, 0, 0, 0, 1] })
  })

  it('has no position if the location is removed, and loses it when it is rotated', async () => {
    expect(await converted(onMap, { metadata: 'strip-location' })).toEqual({ tags: {}, lost: [] })
    expect(await converted(onMap, { rotate: 90 })).toEqual({ tags: {}, lost: ['georeference'] })
  })
})
