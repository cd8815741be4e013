import sharp from 'sharp'
import { expect, it } from 'vitest'
import { numbersOf, profileOf } from '../../../src/media/image/matrix-profile.ts'
import { isSrgbProfile, lightOfGray } from '../../../src/media/image/srgb-profile.ts'
import { MARKERS, segment, withSegments } from '../../../src/media/image/jpeg-segments.ts'
import { photoFile, processPhoto, samplePhoto, usePhotoFolder } from './process-photo.ts'

usePhotoFolder()

const SRGB_CURVE = 13
const LINEAR = 8

/** @param transfer number of the curve in ITU-T H.273 */
function profile(transfer: number, isGray = false, primaries = 1): Buffer {
  const numbers = numbersOf({ primaries, transfer }, 'sRGB')
  const icc = numbers && profileOf(numbers, isGray)
  if (icc === undefined) throw new Error('These numbers aren’t known.')
  return icc
}

const encoded = async (name: 'srgb' | 'p3'): Promise<Buffer> => {
  const { icc } = await sharp(await samplePhoto(20, 20).withIccProfile(name).png().toBuffer()).metadata()
  if (icc === undefined) throw new Error('The photo has no profile.')
  return icc
}

/** Another name of the same length. */
const renamed = (icc: Buffer, name: 'sRGB linear light'): Buffer => {
  const changed = Buffer.from(icc)
  Buffer.from(name, 'utf16le')
    .swap16()
    .copy(changed, icc.indexOf(Buffer.from('Colors by numbers', 'utf16le').swap16()))
  return changed
}

it('is sRGB by its numbers, regardless of its name', async () => {
  expect(isSrgbProfile(await encoded('srgb'))).toBe(true)
  expect(isSrgbProfile(profile(SRGB_CURVE))).toBe(true)
  expect(isSrgbProfile(profile(SRGB_CURVE, true))).toBe(true)
  expect(isSrgbProfile(await encoded('p3'))).toBe(false)
  for (const [transfer, primaries] of [
    [LINEAR, 1],
    [4, 1],
    [SRGB_CURVE, 12],
  ] as const)
    expect(isSrgbProfile(profile(transfer, false, primaries))).toBe(false)
  expect(isSrgbProfile(renamed(profile(LINEAR), 'sRGB linear light'))).toBe(false)
  expect(isSrgbProfile(renamed(profile(LINEAR, true), 'sRGB linear light'))).toBe(false)
})

it('isn’t one for gray if its curve is of an unknown type', () => {
  const gray = profile(SRGB_CURVE, true)
  expect(lightOfGray(gray)?.(1)).toBeCloseTo(1)
  gray.writeUInt16BE(9, gray.indexOf('para') + 8)
  expect(lightOfGray(gray)).toBeUndefined()
})

it('isn’t sRGB if it is cut off', async () => {
  const icc = await encoded('srgb')
  for (const length of [0, 100, 130, 140, 300]) expect(isSrgbProfile(icc.subarray(0, length))).toBe(false)
})

it('that is linear is converted even if the original is smaller and the profile has sRGB in its name', async () => {
  const linear = renamed(profile(LINEAR), 'sRGB linear light')
  const plain = await samplePhoto(60, 40).jpeg({ quality: 20 }).toBuffer()
  const profiled = withSegments(plain, [segment(MARKERS.APP2, 'ICC_PROFILE\0\x01\x01', linear)])
  const path = await photoFile('linear.jpg', profiled)
  const { notes } = await processPhoto(path, { quality: 95 }, { neverLarger: true })
  expect(notes).toEqual([])
  const kept = await processPhoto(path, { quality: 95, colour: 'keep', format: 'jxl' })
  expect(kept.losses).toEqual([])
  const keeping = { quality: 95, colour: 'keep', metadata: 'keep' } as const
  const lost = await processPhoto(path, keeping, { neverLarger: true })
  expect(lost.notes).toEqual(['original-kept'])
})
