import { expect, it } from 'vitest'
import {
  chooseSamples,
  createChooser,
  groupsOf,
  type SizedFile,
} from '../../../src/main/estimate/choose-samples.ts'

const photo = (name: string, size: number): SizedFile => ({ path: `/in/${name}`, kind: 'image', size })
const namesOf = (files: readonly SizedFile[]) => files.map(({ path }) => path.slice(4))

it('files of the same format form one group, regardless of their extensions; the largest group comes first', () => {
  const files = [photo('a.png', 1), photo('b.JPG', 1), photo('c.jpeg', 1)]
  expect(groupsOf(files).map(namesOf)).toEqual([['b.JPG', 'c.jpeg'], ['a.png']])
})

it('the file of median size comes first, then the quartiles, without duplicates', () => {
  const files = [7, 1, 5, 3, 2, 6, 4].map((size) => photo(`${size}.jpg`, size))
  expect(namesOf(chooseSamples(files, 7))).toEqual([
    '4.jpg',
    '2.jpg',
    '6.jpg',
    '1.jpg',
    '3.jpg',
    '5.jpg',
    '7.jpg',
  ])
})

it('each group gets one sample first, and then more in proportion to its size', () => {
  const jpegs = Array.from({ length: 9 }, (_, index) => photo(`${index}.jpg`, index))
  const pngs = Array.from({ length: 3 }, (_, index) => photo(`${index}.png`, index))
  const chosen = chooseSamples([...jpegs, ...pngs, photo('a.webp', 1)], 8)
  expect(Map.groupBy(namesOf(chosen), (name) => name.split('.')[1]).get('jpg')).toHaveLength(6)
  expect(namesOf(chosen.slice(0, 3)).map((name) => name.split('.')[1])).toEqual(['jpg', 'png', 'webp'])
})

it('the number of samples is limited for each kind, and no file is chosen twice', () => {
  const photos = Array.from({ length: 30 }, (_, index) => photo(`${index}.jpg`, index))
  const videos = photos.map(({ size }) => ({ path: `/in/${size}.mp4`, kind: 'video' as const, size }))
  const chosen = chooseSamples([...photos, ...videos], 12)
  expect(chosen.filter(({ kind }) => kind === 'video')).toHaveLength(12)
  expect(new Set(chosen).size).toBe(24)
  expect(chooseSamples(photos.slice(0, 2), 12)).toHaveLength(2)
  expect(chooseSamples([], 12)).toEqual([])
})

it('samples are chosen again only from other files', () => {
  let reads = 0
  const counted = {
    ...photo('counted.jpg', 1),
    get size() {
      return (reads += 1)
    },
  }
  const files = [counted, photo('a.jpg', 2), photo('b.jpg', 3)]
  const choose = createChooser()
  const chosen = choose(files, 2)
  const before = reads
  expect([choose([...files], 2), reads]).toEqual([chosen, before])
  expect(choose(files.slice(1), 2)).not.toContain(counted)
  expect(choose(files, 3)).toHaveLength(3)
})
