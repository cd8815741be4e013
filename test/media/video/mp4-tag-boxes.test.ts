/** Tags in several boxes of an MP4 or QuickTime file, each with its own table of names. */
import { readFile, writeFile } from 'node:fs/promises'
import { describe, expect, it } from 'vitest'
import { videoInventory } from '../../../src/media/inventory/video-inventory.ts'
import { uint32 } from '../../../src/media/big-endian.ts'
import { makeBox } from '../../../src/media/make-box.ts'
import { partsOf, rebuilt } from '../../../src/media/video/mp4-boxes.ts'
import { openSourceFile } from '../../../src/media/video/source-file.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { clip, runJob, useClipFolder } from './run-job.ts'

useClipFolder()

type Names = Readonly<Record<string, string>>

const handler = (type: string) => makeBox('hdlr', uint32(0, 0), Buffer.from(type), Buffer.alloc(13))
const data = (value: string) => makeBox('data', uint32(1, 0), Buffer.from(value))

/** A box with a table of names, as FFmpeg, ExifTool and phones write it. */
function keyed(tags: Names): Buffer {
  const keys = Object.keys(tags).map((name) =>
    Buffer.concat([uint32(8 + name.length), Buffer.from(`mdta${name}`)]),
  )
  const values = Object.values(tags).map((value, index) =>
    Buffer.concat([uint32(8 + data(value).length, index + 1), data(value)]),
  )
  const table = makeBox('keys', uint32(0, keys.length), ...keys)
  return makeBox('meta', handler('mdta'), table, makeBox('ilst', ...values))
}

/** A box as in iTunes, whose names are types. */
const listed = (tags: Names) =>
  makeBox(
    'meta',
    uint32(0),
    handler('mdir'),
    makeBox('ilst', ...Object.entries(tags).map(([type, value]) => makeBox(type, data(value)))),
  )

const english = (type: string, value: string) =>
  makeBox(type, Buffer.from([0, value.length, 0x15, 0xc7]), Buffer.from(value))

type Boxes = {
  readonly first?: Buffer
  readonly userData?: readonly Buffer[]
  readonly track?: readonly Buffer[]
  readonly last?: Buffer
}

const NOTHING = Buffer.alloc(0)

/** Makes a video with these boxes at the beginning of its index, in its user data, in its track and at the end. */
async function withBoxes({ first = NOTHING, userData = [], track = [], last = NOTHING }: Boxes) {
  const path = await clip({ width: 64, height: 64 })
  const bytes = await readFile(path)
  const at = bytes.lastIndexOf('moov') - 4
  const parts = partsOf(bytes.subarray(at + 8)).map((part) =>
    part.type === 'trak' ? makeBox('trak', part.body, ...track) : rebuilt(part),
  )
  const movie = makeBox('moov', first, ...parts, makeBox('udta', ...userData), last)
  await writeFile(path, Buffer.concat([bytes.subarray(0, at), movie]))
  return path
}

async function read(path: string) {
  await using source = await openSourceFile(path, new AbortController().signal)
  const track = source.video.metadata?.getAll() ?? {}
  return { metadata: source.metadata, track, inventory: await videoInventory(path, source) }
}

const PLACE = 'com.apple.quicktime.location.name'
const LENS = 'com.apple.quicktime.camera.lens_model'

const two = () =>
  withBoxes({
    userData: [keyed({ title: 'Lake', artist: 'Ann', [PLACE]: 'Home' })],
    last: keyed({
      [PLACE]: 'Home',
      make: 'Acme',
      'com.apple.quicktime.creationdate': '2024-01-02T03:04:05+0100',
    }),
  })

describe('tags in two boxes', () => {
  it('have the names from the same box, and none is lost with the location', async () => {
    const original = await two()
    expect((await read(original)).metadata).toMatchObject({ title: 'Lake', artist: 'Ann', make: 'Acme' })
    const { temporaryPath, losses } = await runJob(original, { codec: 'copy', metadata: 'strip-location' })
    expect(losses).toEqual([])
    const { metadata } = await read(temporaryPath)
    expect(metadata).toMatchObject({
      title: 'Lake',
      artist: 'Ann',
      make: 'Acme',
      'com.apple.quicktime.creationdate': '2024-01-02T03:04:05+0100',
    })
    expect((await readFile(temporaryPath)).includes('Home')).toBe(false)
  })

  it('aren’t joined if both have the same value, and another value is listed as lost', async () => {
    const same = { userData: [english('\u00a9nam', 'Lake'), listed({ '\u00a9nam': 'Lake' })] }
    const [once, differing] = [
      await withBoxes({ ...same, last: keyed({ title: 'Lake' }) }),
      await withBoxes({ userData: [listed({ '\u00a9nam': 'Sea' })], last: keyed({ title: 'Lake' }) }),
    ]
    for (const path of [once, differing]) expect((await read(path)).metadata['title']).toBe('Lake')
    for (const metadata of ['keep', 'strip-location'] as const) {
      expect((await runJob(once, { codec: 'copy', metadata })).losses).toEqual([])
      expect((await runJob(differing, { codec: 'copy', metadata })).losses).toMatchObject([
        { code: 'tags', values: { count: 1 } },
      ])
    }
    const place = await withBoxes({
      userData: [keyed({ [PLACE]: 'Home' })],
      last: keyed({ [PLACE]: 'Office', title: 'Lake' }),
    })
    expect((await runJob(place, { codec: 'copy', metadata: 'strip-location' })).losses).toEqual([])
  })

  it('of which one belongs to a track stay with the track, in any order', async () => {
    const track = [keyed({ [LENS]: 'Wide', [PLACE]: 'Home' })]
    const movie = keyed({ title: 'Lake', artist: 'Ann' })
    for (const boxes of [
      { first: movie, track },
      { track, last: movie },
    ]) {
      const original = await withBoxes(boxes)
      const before = await read(original)
      expect(before.metadata).toMatchObject({ title: 'Lake', artist: 'Ann' })
      expect(before.track).toMatchObject({ [LENS]: 'Wide', [PLACE]: 'Home' })
      expect(before.track).not.toHaveProperty('title')
      const kept = await runJob(original, { codec: 'copy', metadata: 'keep' })
      expect(kept.losses).toEqual([])
      expect((await read(kept.temporaryPath)).track).toMatchObject({ [LENS]: 'Wide', [PLACE]: 'Home' })
      const { temporaryPath, losses } = await runJob(original, { codec: 'copy', metadata: 'strip-location' })
      expect(losses).toEqual([])
      expect((await read(temporaryPath)).track).toMatchObject({ [LENS]: 'Wide' })
      expect((await readFile(temporaryPath)).includes('Home')).toBe(false)
    }
  })

  itInLongSuite('are dropped and listed as lost if the boxes can’t be read', async () => {
    const tooMany = Array.from({ length: 100_001 }, () => makeBox('free'))
    const original = await withBoxes({ userData: tooMany, last: keyed({ title: 'Lake', artist: 'Ann' }) })
    expect((await read(original)).metadata).not.toHaveProperty('title')
    for (const metadata of ['keep', 'strip-location'] as const)
      expect((await runJob(original, { codec: 'copy', metadata })).losses).toMatchObject([
        { code: 'tags', values: { count: 2 } },
      ])
  })

  itInLongSuite(
    'are dropped and listed as lost if there are too many boxes, and so is the location',
    async () => {
      const many = Array.from({ length: 101 }, (_, index) => keyed({ [`custom${index}`]: `Note ${index}` }))
      const place = keyed({ 'com.apple.quicktime.location.ISO6709': '+48.1371+011.5754/' })
      const original = await withBoxes({ userData: [place, ...many] })
      const losses = async (metadata: 'keep' | 'strip-location') =>
        (await runJob(original, { codec: 'copy', metadata })).losses?.map(({ code }) => code)
      expect(await losses('keep')).toContain('location')
      expect(await losses('strip-location')).not.toContain('location')
    },
  )

  itInLongSuite('go to other containers and back, and leave nothing if all metadata is removed', async () => {
    const original = await withBoxes({
      userData: [english('\u00a9nam', 'Lake')],
      track: [keyed({ [LENS]: 'Wide' })],
      last: keyed({ artist: 'Ann', custom: 'Note' }),
    })
    for (const container of ['mov', 'mkv'] as const) {
      const other = await runJob(original, { container, codec: 'copy', metadata: 'keep' })
      const back = await runJob(other.temporaryPath, { container: 'mp4', codec: 'copy', metadata: 'keep' })
      expect([other.losses, back.losses]).toEqual([[], []])
      const { metadata, inventory } = await read(back.temporaryPath)
      expect(metadata['title']).toBe('Lake')
      expect(inventory.tags.author).toBe(true)
      expect(inventory.tags.others.map(({ value }) => value)).toEqual(
        expect.arrayContaining(['Lake', 'Note', 'Wide']),
      )
    }
    for (const container of ['mp4', 'mov', 'mkv'] as const) {
      const { temporaryPath } = await runJob(original, { container, codec: 'copy', metadata: 'strip' })
      const bytes = await readFile(temporaryPath)
      for (const value of ['Lake', 'Ann', 'Note', 'Wide']) expect(bytes.includes(value)).toBe(false)
    }
  })
})
