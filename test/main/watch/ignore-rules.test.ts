import { sep } from 'node:path'
import { expect, it } from 'vitest'
import {
  isCandidate,
  isIgnored,
  isInside,
  isPartOfMany,
  isPlaceholder,
} from '../../../src/main/watch/ignore-rules.ts'

it.each([
  '.hidden.jpg',
  '~$clip.mp4',
  'photo.jpg.crdownload',
  'clip.mp4.PART',
  'clip.part.mp4',
  'a.tmp.jpg',
  // qBittorrent, BitComet, Free Download Manager, Thunder, UC
  'clip.mp4.!qB',
  'clip.mp4.bc!',
  'clip.mp4.fdmdownload',
  'clip.mp4.xltd',
  'clip.mp4.td',
  'clip.mp4.uc!',
])('%s counts as incomplete, or as not meant for users', (name) => {
  expect(isIgnored(name)).toBe(true)
  expect(isCandidate(`/in/${name}`)).toBe(false)
})

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

it('a track of a download waits while the others are there, and a format number alone means nothing', () => {
  const name = 'Clip [a.b].f137.mp4'
  expect(isPartOfMany(name, [name, 'Clip [a.b].f140.m4a.part'])).toBe(true)
  expect(isPartOfMany(name, [name, 'Clip [a.b].temp.mp4'])).toBe(true)
  expect(isPartOfMany(name, [name, 'Clip [a.b].jpg', 'Other.f140.m4a'])).toBe(false)
  expect(isPartOfMany('Clip.mp4', ['Clip.mp4', 'Clip.f137.mp4'])).toBe(false)
})

it('an empty file next to its download isn’t an empty file of the user', () => {
  expect(isPlaceholder('clip.mp4', ['clip.mp4', 'clip.mp4.part'])).toBe(true)
  expect(isPlaceholder('clip.mp4', ['clip.mp4', 'clip.Xy1z.mp4.part'])).toBe(true)
  expect(isPlaceholder('clip.mp4', ['clip.mp4', 'other.mp4.part', 'clip.jpg'])).toBe(false)
})
