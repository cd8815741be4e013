import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_PRESETS } from '../../../src/shared/preset/default-presets.ts'
import { openPresetStore } from '../../../src/service/presets/presets.ts'
import { Preset } from '../../../src/shared/preset/preset.ts'

let folder: string
const logged: string[] = []
const open = () => openPresetStore({ folder, log: (message) => logged.push(message) })
const write = (file: string, content: unknown) =>
  writeFile(
    path.join(folder, file),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mediatray-presets-'))
  logged.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the default presets', () => {
  it('are all valid', () => {
    for (const document of DEFAULT_PRESETS) expect(Preset.parse(document).name).toBe(document.name)
  })

  it('are there at the first start, several of them for photos and videos alike', async () => {
    const store = await open()
    const { image, video } = store.list()
    expect(logged).toEqual([])
    expect(image).toContain('Web 2048')
    expect(video).toContain('Audio off')
    expect(image.filter((name) => video.includes(name)).length).toBeGreaterThan(4)
  })

  it('stay away once they were deleted', async () => {
    await open()
    await rm(path.join(folder, 'thumbnail.json'))
    const again = await open()
    expect(again.find('Thumbnail')).toBeUndefined()
    expect(again.find('Web 720p')).toBeDefined()
  })

  it('never replace a document that is already there', async () => {
    await write('thumbnail.json', { name: 'Mine', image: {} })
    const store = await open()
    expect(store.find('Mine')).toBeDefined()
    expect(store.find('Thumbnail')).toBeUndefined()
  })
})

describe('a document that is wrong', () => {
  it.each([
    ['broken.json', '{"name": ', '', /JSON/],
    ['quality.json', { name: 'Q', image: { quality: 101 } }, 'image.quality', /100/],
    ['unknown.json', { name: 'U', image: { qualty: 80 } }, 'image.qualty', /not a field/],
    ['empty.json', { name: 'E' }, '', /"image" or a "video"/],
    ['spaces.json', { name: ' S', image: {} }, 'name', /space/],
    ['both.json', { name: 'B', video: { crf: 20, bitrate: 900_000 } }, 'video', /not both/],
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

  it('is one that repeats a name: the first by file name stays', async () => {
    await open()
    await write('a.json', { name: 'Twice', description: 'first', image: {} })
    await write('b.json', { name: 'Twice', description: 'second', image: {} })
    const store = await open()
    expect(store.find('Twice')?.description).toBe('first')
    expect(logged).toEqual([expect.stringMatching(/^Preset b\.json, "name": .*a\.json/)])
  })
})

describe('a refresh', () => {
  it('takes in a document that came, one that was written to in place, and one that went', async () => {
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

  it('takes in one that begins with a byte order mark', async () => {
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
