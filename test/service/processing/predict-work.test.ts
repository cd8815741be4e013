import * as fc from 'fast-check'
import { expect, it } from 'vitest'
import { predictWork, type WeighedFacts } from '../../../src/service/processing/predict-work.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'

const UNKNOWN: WeighedFacts = { width: null, height: null, duration: null, format: undefined, bytes: -1 }
const PHOTO = { width: 4_000, height: 3_000, format: 'jpg' }
const VIDEO = { width: 1_920, height: 1_080, duration: 80_000, format: 'mp4' }

const ofPhoto = (facts: Partial<WeighedFacts>, recipe: object = {}) =>
  predictWork({ ...UNKNOWN, ...facts }, { kind: 'image', image: ImageRecipe.parse(recipe) })
const ofVideo = (facts: Partial<WeighedFacts>, recipe: object = {}) =>
  predictWork({ ...UNKNOWN, ...facts }, { kind: 'video', video: VideoRecipe.parse(recipe) })

/** One core takes 66 ms for such a photo, and 24 s for such a video (docs/performance.md). */
it('of a video is that of many photos', () => {
  const photo = ofPhoto(PHOTO, { format: 'jpeg', size: { width: 2_048, height: 2_048 } })
  const video = ofVideo(VIDEO, { height: 720 })
  expect(video / photo).toBeGreaterThan(200)
  expect(video / photo).toBeLessThan(600)
})

it('grows with the pixels, the duration and what the recipe asks for', () => {
  expect(ofPhoto({ ...PHOTO, width: 8_000 })).toBeGreaterThan(ofPhoto(PHOTO) * 1.5)
  expect(ofPhoto(PHOTO, { format: 'avif' })).toBeGreaterThan(ofPhoto(PHOTO) * 5)
  expect(ofPhoto(PHOTO, { look: 80 })).toBeGreaterThan(ofPhoto(PHOTO) * 2)
  expect(ofPhoto(PHOTO, { effort: 'small' })).toBeGreaterThan(ofPhoto(PHOTO))
  expect(ofVideo({ ...VIDEO, duration: 160_000 })).toBeGreaterThan(ofVideo(VIDEO) * 1.9)
  expect(ofVideo(VIDEO, { speed: 'slow' })).toBeGreaterThan(ofVideo(VIDEO) * 2)
  expect(ofVideo(VIDEO, { height: 480 })).toBeLessThan(ofVideo(VIDEO))
})

it('of audio alone, and of a copied video track, is small', () => {
  const little = ofVideo(VIDEO) / 20
  expect(ofVideo({ ...VIDEO, width: null, height: null })).toBeLessThan(little)
  expect(ofVideo(VIDEO, { codec: 'copy' })).toBeLessThan(little)
  expect(ofVideo(VIDEO, { codec: 'none' })).toBeLessThan(little)
})

it('is estimated from the size if the header is not known, and from nothing if the size is not known either', () => {
  expect(ofVideo({ bytes: 80_000_000 })).toBeGreaterThan(ofVideo({ bytes: 8_000_000 }) * 5)
  expect(ofPhoto({ bytes: 4_000_000 })).toBeGreaterThan(ofPhoto({ bytes: 400_000 }) * 2)
  expect(ofVideo({})).toBeGreaterThan(ofPhoto({}) * 10)
})

it.each([Number.NaN, Infinity, -1, 0])(
  'is a finite number if a damaged header contains a duration of %s',
  (duration) => {
    expect(ofVideo({ ...VIDEO, duration })).toBe(ofVideo({ ...VIDEO, duration: null }))
  },
)

it.each([1e200, Number.MAX_VALUE, 1e-200, 1, 30 * 24 * 3_600_000])(
  'is that of an unknown duration if a damaged header of a file of 8 GB contains one of %s ms',
  (duration) => {
    const video = { ...VIDEO, bytes: 8e9 }
    expect(ofVideo({ ...video, duration })).toBe(ofVideo({ ...video, duration: null }))
  },
)

it('trusts the duration of a small recording of speech, and of a short uncompressed video', () => {
  const speech = { ...UNKNOWN, duration: 3_600_000, bytes: 2_000_000 }
  expect(ofVideo(speech)).toBeGreaterThan(3_600)
  const raw = { ...VIDEO, duration: 2_000, bytes: 1_500_000_000 }
  expect(ofVideo(raw)).toBeLessThan(ofVideo({ ...raw, duration: null }) / 10)
})

it.each([0, 1e9, 2 ** 63])(
  'is that of unknown dimensions if a damaged header contains sides of %d',
  (side) => {
    const sides = { width: side, height: side, bytes: 1_000_000 }
    const unknown = { ...sides, width: null, height: null }
    expect(ofVideo({ ...VIDEO, ...sides })).toBe(ofVideo({ ...VIDEO, ...sides, width: 1_920, height: 1_080 }))
    expect(ofPhoto({ ...PHOTO, ...sides })).toBe(ofPhoto({ ...PHOTO, ...unknown }))
  },
)

it('stays finite and below that of a long video, whatever a header contains', () => {
  const number = fc.option(fc.double({ min: 0 }))
  const header = fc.record({ width: number, height: number, duration: number })
  const longest = ofVideo({ width: 16_384, height: 16_380, duration: 7 * 24 * 3_600_000 })
  fc.assert(
    fc.property(header, fc.integer({ min: 0, max: 1e9 }), (found, bytes) => {
      const photo = ofPhoto({ ...found, bytes }, { size: { width: 4_000, fit: 'inside', enlarge: true } })
      for (const work of [photo, ofVideo({ ...found, bytes })]) {
        expect(work).toBeGreaterThan(0)
        expect(work).toBeLessThanOrEqual(longest)
      }
    }),
  )
})
