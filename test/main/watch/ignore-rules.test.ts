import { sep } from 'node:path'
import { expect, it } from 'vitest'
import { isIgnored, isInside, isCandidate } from '../../../src/main/watch/ignore-rules.ts'

it.each(['.hidden.jpg', '~$clip.mp4', 'photo.jpg.crdownload', 'clip.mp4.PART', 'clip.part.mp4', 'a.tmp.jpg'])(
  '%s counts as incomplete, or as not meant for users',
  (name) => {
    expect(isIgnored(name)).toBe(true)
    expect(isCandidate(`/in/${name}`)).toBe(false)
  },
)

it('only a photo or video under its final name is processed, in any folder', () => {
  expect(isCandidate('/.in/party.jpg')).toBe(true)
  expect(isCandidate('/in/partial.mp4')).toBe(true)
  expect(isCandidate('/in/notes.txt')).toBe(false)
  expect(isCandidate('/in/jpg')).toBe(false)
})

it('a folder contains itself and its descendants, not paths that only share its prefix', () => {
  const folder = ['', 'in'].join(sep)
  expect(isInside(folder, folder)).toBe(true)
  expect(isInside(folder + sep + 'a.jpg', folder)).toBe(true)
  expect(isInside(folder + 'box' + sep + 'a.jpg', folder)).toBe(false)
  expect(isInside(folder, sep)).toBe(true)
  expect(isInside(sep, folder)).toBe(false)
})
