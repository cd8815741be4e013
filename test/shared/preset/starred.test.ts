import { expect, it } from 'vitest'
import { splitByStar, starredOf } from '../../../src/shared/preset/starred.ts'

it('starred presets lead a list, and both parts keep their order', () => {
  const name = (preset: string) => preset
  expect(splitByStar(['Chat', 'Mail', 'Web', 'Zip'], ['Web', 'Mail', 'Gone'], name)).toEqual({
    starred: ['Mail', 'Web'],
    others: ['Chat', 'Zip'],
  })
})

it('starred presets that the service doesn’t offer are left out, unless its presets aren’t known yet', () => {
  const presets = { image: ['Mail', 'Both'], video: ['Both', 'Clip'] }
  expect(starredOf(['Clip', 'Gone', 'Both'], presets)).toEqual([
    { name: 'Clip', forPhotos: false, forVideos: true },
    { name: 'Both', forPhotos: true, forVideos: true },
  ])
  expect(starredOf(['Gone'], null)).toEqual([{ name: 'Gone', forPhotos: true, forVideos: true }])
})
