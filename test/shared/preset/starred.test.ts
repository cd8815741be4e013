import { expect, it } from 'vitest'
import { starredOf } from '../../../src/shared/preset/starred.ts'

it('starred presets that the service doesn’t offer are left out, unless its presets aren’t known yet', () => {
  const presets = { image: ['Mail', 'Both'], video: ['Both', 'Clip'] }
  expect(starredOf(['Clip', 'Gone', 'Both'], presets)).toEqual([
    { name: 'Clip', forPhotos: false, forVideos: true },
    { name: 'Both', forPhotos: true, forVideos: true },
  ])
  expect(starredOf(['Gone'], null)).toEqual([{ name: 'Gone', forPhotos: true, forVideos: true }])
})
