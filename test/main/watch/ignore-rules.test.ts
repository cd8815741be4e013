import { sep } from 'node:path'
import { expect, it } from 'vitest'
import { isIgnored, isInside, mayBeTaken } from '../../../src/main/watch/ignore-rules.ts'

it.each(['.hidden.jpg', '~$clip.mp4', 'photo.jpg.crdownload', 'clip.mp4.PART', 'clip.part.mp4', 'a.tmp.jpg'])(
  '%s is not whole, or not meant for anybody',
  (name) => {
    expect(isIgnored(name)).toBe(true)
    expect(mayBeTaken(`/in/${name}`)).toBe(false)
  },
)

it('a photo or video under its final name is taken, wherever it lies, and nothing else', () => {
  expect(mayBeTaken('/.in/party.jpg')).toBe(true)
  expect(mayBeTaken('/in/partial.mp4')).toBe(true)
  expect(mayBeTaken('/in/notes.txt')).toBe(false)
  expect(mayBeTaken('/in/jpg')).toBe(false)
})

it('a folder holds itself and what lies below, not what only begins like it', () => {
  const folder = ['', 'in'].join(sep)
  expect(isInside(folder, folder)).toBe(true)
  expect(isInside(folder + sep + 'a.jpg', folder)).toBe(true)
  expect(isInside(folder + 'box' + sep + 'a.jpg', folder)).toBe(false)
  expect(isInside(folder, sep)).toBe(true)
  expect(isInside(sep, folder)).toBe(false)
})
