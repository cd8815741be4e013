import { expect, it } from 'vitest'
import { openableExtensions, resultExtension, resultKindOf } from '../../src/shared/media-types.ts'
import { ImageRecipe, VideoRecipe } from '../../src/shared/preset/preset.ts'
import { replacedName } from '../../src/shared/preset/result-ending.ts'

it.each([
  ['tiff', 'scan.TIF', 'tif'],
  ['jpg', 'photo.jpe', 'jpe'],
  ['jpg', 'photo.jfif', 'jfif'],
  ['heic', 'photo.hif', 'hif'],
  ['mp4', 'clip.m4v', 'm4v'],
  ['mov', 'clip.qt', 'qt'],
  ['ts', 'clip.m2ts', 'm2ts'],
  ['jpg', 'photo.heif', 'jpg'],
  ['mp4', 'clip.mov', 'mp4'],
  ['png', 'photo', 'png'],
])('a result in the format %s of %s has the extension %s', (usual, original, expected) => {
  expect(resultExtension(usual, original)).toBe(expected)
  expect(resultKindOf(`result.${expected}`)).toBeDefined()
})

it('the name of an original stays the same if its format does', () => {
  const image = ImageRecipe.parse({ format: 'tiff' })
  const video = VideoRecipe.parse({ container: 'mp4' })
  expect(replacedName({ name: 'scan.tif', kind: 'image' }, { image })).toBe(null)
  expect(replacedName({ name: 'photo.jpe', kind: 'image' }, { image })).toBe('photo.tiff')
  expect(replacedName({ name: 'clip.m4v', kind: 'video' }, { video })).toBe(null)
  expect(replacedName({ name: 'clip.mov', kind: 'video' }, { video })).toBe('clip.mp4')
})

it('files can be opened under every name of a format that each service accepts', () => {
  expect(openableExtensions('image')).toEqual(
    expect.arrayContaining(['tif', 'jfif', 'jpe', 'heif', 'hif', 'avif', 'jxl', 'gif']),
  )
  expect(openableExtensions('video')).toEqual(['mp4', 'mov', 'avi', 'mkv', 'webm', 'm4v', 'qt'])
})
