import { expect, it } from 'vitest'
import { isPlaceValue } from '../../../src/media/metadata/places.ts'
import { hasCoordinates } from '../../../src/media/metadata/coordinates.ts'

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
  'https://surl.amap.com/abc',
  'https://map.baidu.com/poi/x',
  'https://mapy.cz/s/abc',
  'https://earth.google.com/web/@48.1,11.5',
  'https://share.here.com/l/48.1,11.5',
  'maps.google.com/?q=48.1,11.5',
  'google.com/maps/place/Munich',
  'https://goo.gl/maps/abc',
])('a text with a link to a place is a location: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([true, true])
})

it.each([
  'https://example.com/photos?id=48.137',
  'https://example.com/roadmap/2024.500',
  'See https://example.com/releases/1.25/2.50 and %E0%A4%A',
  'https://example.com/%E0%A4%A',
  'See https://en.wikipedia.org/wiki/Map',
  'See maps:here',
  'https://google.com/search?q=maps and geo:data',
  'Platinum: https://example.com/platform=1',
])('other links aren’t: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([false, false])
})

it.each([
  'N 48.8584 E 2.2945',
  '48.8584N 2.2945E',
  '48.8584 N, 2.2945 E',
  'Seen at 48,8584; 2,2945, from below',
  'lat=48.8584 lon=2.2945',
  `48°51'30"N 2°17'40"E`,
  'N 48 51.504 E 2 17.67',
  '48 51.504 N 2 17.67 E',
])('a text with coordinates is a location in photos and videos: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([true, true])
})

it.each(['1,5; 2,5', '12,50 €; 13,20 €', 'N 48 E 2 F 2.8', 'f/2.8 1/250 s', 'Take 48, 51 and 52'])(
  'other numbers aren’t: %s',
  (text) => {
    expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([false, false])
  },
)

it.each(['lat"', 'home ', 'https://x/lat', '48.1374 ', '1°'])(
  'a long text that only looks like a place takes no longer per character: %s',
  (start) => {
    const [first, last] = [start.slice(0, -1), start.slice(-1)]
    const texts = [first + last.repeat(300_000), start.repeat(60_000)]
    expect(texts.map((text) => [hasCoordinates(text), isPlaceValue(text)])).toHaveLength(2)
  },
)
