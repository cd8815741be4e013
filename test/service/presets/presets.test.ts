import { execFileSync } from 'node:child_process'
import { mkdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import { keptPresetFile, readPresetKey } from '../../../src/node/preset-key.ts'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { createPresetFiles } from '../../../src/main/presets/presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let folder: string
const logged: string[] = []
const open = () => openPresetStore({ folder, log: (message) => logged.push(message) })
const write = (file: string, content: unknown) =>
  writeFile(
    path.join(folder, file),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )

beforeEach(() => {
  folder = temporaryFolder()
  logged.length = 0
})

describe('the default presets', () => {
  it('are all valid and exist after the first launch, several of them for both photos and videos', async () => {
    const store = await open()
    const { image, video } = store.list()
    expect(logged).toEqual([])
    for (const { name } of DEFAULT_PRESETS) expect([...image, ...video]).toContain(name)
    expect(image.filter((name) => video.includes(name)).length).toBeGreaterThan(4)
  })

  it('aren’t restored after the user has deleted them', async () => {
    await open()
    await rm(path.join(folder, 'thumbnail.json'))
    const again = await open()
    expect(again.find('Thumbnail')).toBeUndefined()
    expect(again.find('Web 720p')).toBeDefined()
  })

  it('never replace an existing document', async () => {
    await write('thumbnail.json', { name: 'Mine', image: {} })
    const store = await open()
    expect(store.find('Mine')).toBeDefined()
    expect(store.find('Thumbnail')).toBeUndefined()
  })
})

it.skipIf(process.platform === 'win32')(
  'a pipe among the documents is reported and delays none of the others',
  async () => {
    execFileSync('mkfifo', [path.join(folder, 'pipe.json')])
    const store = await open()
    expect(store.find('Web 720p')).toBeDefined()
    expect(logged).toEqual([expect.stringMatching(/pipe\.json.*not a regular file/)])
    const { documents } = await createPresetFiles(folder).list()
    expect(documents.find(({ name }) => name === 'pipe.json')).toMatchObject({ preset: null })
  },
)

describe('an invalid document', () => {
  it.each([
    ['broken.json', '{"name": ', '', /JSON/],
    ['quality.json', { name: 'Q', image: { quality: 101 } }, 'image.quality', /100/],
    ['unknown.json', { name: 'U', image: { qualty: 80 } }, 'image.qualty', /isn't a preset field/],
    ['empty.json', { name: 'E' }, '', /"image" or a "video"/],
    ['spaces.json', { name: ' S', image: {} }, 'name', /space/],
    ['both.json', { name: 'B', video: { crf: 20, bitrate: 900_000 } }, 'video.bitrate', /"crf"/],
    ['box.json', { name: 'X', image: { size: {} } }, 'image.size', /width/],
    ['cover.json', { name: 'C', image: { size: { width: 9, fit: 'cover' } } }, 'image.size.fit', /both/],
    ['huge.json', Buffer.alloc(70_000, 32), '', /too large/],
  ])('is named with its field, and the rest loads: %s', async (file, content, field, message) => {
    await open()
    await write(file, content)
    const store = await open()
    expect(logged).toEqual([expect.stringMatching(message)])
    expect(logged[0]).toMatch(field === '' ? `Preset ${file}: ` : `Preset ${file}, "${field}": `)
    expect(store.find('Web 1080p')).toBeDefined()
  })

  it('may be one that repeats a name; only the first by file name is used', async () => {
    await open()
    await write('a.json', { name: 'Twice', description: 'first', image: {} })
    await write('b.json', { name: 'Twice', description: 'second', image: {} })
    const store = await open()
    expect(store.find('Twice')?.description).toBe('first')
    expect(logged).toEqual([expect.stringMatching(/^Preset b\.json, "name": .*a\.json/)])
  })
})

describe('a refresh', () => {
  it('notices a document that was added, changed in place, or removed', async () => {
    const store = await open()
    await write('new.json', { name: 'New', image: {} })
    await store.refresh()
    expect(store.find('New')?.image?.metadata).toBe('strip')
    await write('new.json', { name: 'New', image: { quality: 7 } })
    await store.refresh()
    expect(store.find('New')?.image?.quality).toBe(7)
    await rm(path.join(folder, 'new.json'))
    await store.refresh()
    expect(store.find('New')).toBeUndefined()
  })

  it('accepts a document that starts with a byte order mark', async () => {
    const store = await open()
    await write('new.json', '\uFEFF{"name": "New", "video": {}}')
    expect(store.find('New')).toBeUndefined()
    await store.refresh()
    expect(store.list().video).toContain('New')
    expect(store.list().image).not.toContain('New')
  })

  it('reads nothing while nothing has changed', async () => {
    await open()
    await write('broken.json', '{')
    const store = await open()
    logged.length = 0
    await store.refresh()
    await store.refresh()
    expect(logged).toEqual([])
  })
})

it('a document is found by its key, even right after an edit that keeps its size and date', async () => {
  const [before, after] = [71, 72].map((quality) => JSON.stringify({ name: 'Mine', image: { quality } }))
  await write('mine.json', before)
  const store = await open()
  const { atime, mtime } = await stat(path.join(folder, 'mine.json'))
  await write('mine.json', after)
  await utimes(path.join(folder, 'mine.json'), atime, mtime)
  const { key } = readPresetKey(after ?? '')
  expect((await store.findAs('Mine', key))?.image?.quality).toBe(72)
  const old = readPresetKey(before ?? '').key
  expect(await store.findAs('Mine', old)).toBeUndefined()
  // A submission uses the older document, even if the preset was renamed since.
  const kept = keptPresetFile(folder, old)
  await mkdir(path.dirname(kept))
  await writeFile(kept, before ?? '')
  expect(await store.findAs('Mine again', old)).toMatchObject({ name: 'Mine again', image: { quality: 71 } })
  await writeFile(kept, after ?? '')
  expect(await store.findAs('Mine', old)).toBeUndefined()
})
