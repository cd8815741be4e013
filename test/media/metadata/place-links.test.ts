import { expect, it } from 'vitest'
import { isPlaceValue } from '../../../src/media/metadata/places.ts'
import { hasCoordinates } from '../../../src/media/video/coordinates.ts'

it.each([
  'https://www.google.com/maps/@48.13,11.57,15z',
  'Taken here: https://maps.app.goo.gl/abcDEF (in the evening)',
  'https://example.com/show?at=48.137%2C11.575',
  'http://example.com/?mlat=48.13&mlon=11.57#map=15',
  'https://www.openstreetmap.org/#map=15/48.1374/11.5755',
  'https://what3words.com/filled.count.soap',
  'geo:48.1,11.5?z=12',
  'https://example.com/48%C2%B008%2714%22N',
  'www.example.com/!3d48.1!4d11.5',
])('a text with a link to a place is a location: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([true, true])
})

it.each([
  'https://example.com/photos?id=48.137',
  'https://example.com/roadmap/2024.500',
  'See https://example.com/releases/1.25/2.50 and %E0%A4%A',
  'https://example.com/%E0%A4%A',
  'Platinum: https://example.com/platform=1',
])('other links aren’t: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([false, false])
})
