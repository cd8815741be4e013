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

it.each(['lat"', 'home ', 'https://x/lat', '48.1374 ', '1°', 'N 1 ', '1 1 ', '1,1111 ', '0.1'])(
  'a long text that only looks like a place takes no longer per character: %s',
  (start) => {
    const [first, last] = [start.slice(0, -1), start.slice(-1)]
    const texts = [first + last.repeat(300_000), start.repeat(60_000)]
    expect(texts.map((text) => [hasCoordinates(text), isPlaceValue(text)])).toHaveLength(2)
  },
)

it.each([
  'N 48.8584 E 2.2945',
  '48.8584N 2.2945E',
  '48.8584 N, 2.2945 E',
  '48,8584; 2,2945',
  'Seen at 48,8584; 2,2945, from below',
  '48,858; 2,294',
  'At 48,8584° N / 2,2945° E',
  'N 48,8584 E 2,2945',
  'lat=48.8584 lon=2.2945',
  `48°51'30"N 2°17'40"E`,
  `48°51'30,5"N`,
  'N 48 51.504 E 2 17.67',
  'at N 48 51 30, E 2 17 40',
  '48 51.504N 2 17.67E',
  '48:51:30N 2:17:40E',
  'S 33 51.4 E 151 12.9',
  'Taken at 48.8584, 2.2945 in the evening',
  `${'A long description. '.repeat(30)}48.8584, 2.2945`,
  '31U 448251 5411932',
  '31U DQ 48251 11932',
  '8FW4V75V+8R',
  '///filled.count.soap',
  '-0.0236, 37.9062',
])('coordinates in any notation are a location, in photos and videos: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([true, true])
})

it.each([
  '0.521973, 0.443359, 0.1, 0.1',
  'd 0.521973 0.443359',
  '1.000000000,0.000000000,0.000000000,0.000000000,1.023400000,-0.051200000',
  'ISO 100, 1/2000, f/5.6, 35,5 mm',
  '1,5; 2,5',
  '12,50 €; 13,20 €',
  'N 48 E 2 F 2.8',
  'Take 48, 51 and 52',
  '24.0-70.0 mm f/2.8',
  'Adobe XMP Core 5.6-c140 79.160451, 2017/05/06-01:08:21',
  '2024-05-06T07:08:09.123456+01:00',
  '12,50; 13,75',
  'Open 8:30 to 12:45',
  'Boulevard N 12, E 4',
  'SN 31UDQ4825111932',
  'xmp.did:2cc5b8ae-4808-0113-8d2b-1d0c6ad4b1f1',
])('other numbers aren’t a location: %s', (text) => {
  expect([isPlaceValue(text), hasCoordinates(text)]).toEqual([false, false])
})
