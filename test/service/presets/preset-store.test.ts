import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { DEFAULT_PRESETS, openPresetStore, Preset, slugOf } from '../../../src/service/presets/index.ts'

let folder: string
const said: string[] = []
const open = () => openPresetStore({ folder, log: (message) => said.push(message) })
const write = (file: string, content: unknown) =>
  writeFile(
    path.join(folder, file),
    typeof content === 'string' || Buffer.isBuffer(content) ? content : JSON.stringify(content),
  )

beforeEach(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'mediatray-presets-'))
  said.length = 0
})
afterEach(() => rm(folder, { recursive: true, force: true }))

describe('the default presets', () => {
  it('are all valid', () => {
    for (const document of DEFAULT_PRESETS) expect(Preset.parse(document).name).toBe(document.name)
  })

  it('are there at the first start, several of them for photos and videos alike', async () => {
    const store = await open()
    const { image, video } = store.list()
    expect(store.problems()).toEqual([])
    expect(image).toContain('Web 2048')
    expect(video).toContain('Audio off')
    expect(image.filter((name) => video.includes(name)).length).toBeGreaterThan(4)
  })

  it('stay away once they were deleted', async () => {
    await (await open()).remove('Thumbnail')
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
    expect(store.problems()).toEqual([{ file, field, message: expect.stringMatching(message) }])
    expect(said.some((line) => line.includes(file) && line.includes(field))).toBe(true)
    expect(store.find('Web 1080p')).toBeDefined()
  })

  it('is one that repeats a name: the first by file name stays', async () => {
    await open()
    await write('a.json', { name: 'Twice', description: 'first', image: {} })
    await write('b.json', { name: 'Twice', description: 'second', image: {} })
    const store = await open()
    expect(store.find('Twice')?.description).toBe('first')
    expect(store.problems()).toEqual([
      { file: 'b.json', field: 'name', message: expect.stringContaining('a.json') },
    ])
  })
})

describe('saving', () => {
  const mine = Preset.parse({ name: '../Größe: 100 % 花', image: { quality: 50 } })

  it('keeps the name as it is and gives the file a safe one', async () => {
    const store = await open()
    await store.save(mine)
    expect(await readdir(folder)).toContain('größe-100-花.json')
    expect((await open()).find(mine.name)).toEqual(mine)
  })

  it('replaces the preset of the same name in its own file', async () => {
    await open()
    await write('by-hand.json', { name: 'Hand', image: {} })
    const store = await open()
    await store.save(Preset.parse({ name: 'Hand', image: { quality: 7 } }))
    expect(JSON.parse(await readFile(path.join(folder, 'by-hand.json'), 'utf8'))).toMatchObject({
      image: { quality: 7 },
    })
    expect(store.problems()).toEqual([])
  })

  it('gives two names with one slug two files, also when saved at the same time', async () => {
    const store = await open()
    await Promise.all(['A b', 'A-b', 'a B'].map((name) => store.save(Preset.parse({ name, image: {} }))))
    expect(store.list().image).toEqual(expect.arrayContaining(['A b', 'A-b', 'a B']))
    expect((await readdir(folder)).filter((file) => file.endsWith('.tmp'))).toEqual([])
  })

  it('refuses what would not load again, naming the field', async () => {
    const store = await open()
    const wrong = { ...mine, image: { ...Preset.parse(mine).image!, quality: 0 } }
    await expect(store.save(wrong)).rejects.toThrow('image.quality')
  })

  it('and removing an unknown name is an error', async () => {
    await expect((await open()).remove('Nobody')).rejects.toThrow('Nobody')
  })

  it('by somebody else is seen after a reload', async () => {
    const store = await open()
    await write('new.json', '\uFEFF{"name": "New", "video": {}}')
    expect(store.find('New')).toBeUndefined()
    await store.reload()
    expect(store.list().video).toContain('New')
    expect(store.list().image).not.toContain('New')
  })
})

describe('a refresh', () => {
  it('takes in a document that came, one that was written to in place, and one that went', async () => {
    const store = await open()
    await write('new.json', { name: 'New', image: {} })
    await store.refresh()
    expect(store.find('New')?.image?.quality).toBe(82)
    await write('new.json', { name: 'New', image: { quality: 7 } })
    await store.refresh()
    expect(store.find('New')?.image?.quality).toBe(7)
    await rm(path.join(folder, 'new.json'))
    await store.refresh()
    expect(store.find('New')).toBeUndefined()
  })

  it('reads nothing while nothing has changed', async () => {
    await open()
    await write('broken.json', '{')
    const store = await open()
    said.length = 0
    await store.refresh()
    await store.refresh()
    expect(said).toEqual([])
  })
})

it('a slug is a safe file name for every preset name', () => {
  expect(slugOf('Web 1080p')).toBe('web-1080p')
  expect(slugOf('../../etc/passwd')).toBe('etc-passwd')
  expect(slugOf('…')).toBe('preset')
  expect(slugOf('x'.repeat(80))).toHaveLength(60)
})
