import { copyFile, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import sharp from 'sharp'
import { describe, expect, it, vi } from 'vitest'
import { describeInLongSuite, itInLongSuite } from '../../../faults/long-suite.ts'
import { samples } from '../../core/open-core.ts'
import { type Board, MARK, openBoard, pathsIn, screenshot } from './open-board.ts'

const photo = async ({ folder }: Board, name: string, sample = 'dawn-upright.jpg'): Promise<string> => {
  await mkdir(join(folder, 'photos'), { recursive: true })
  const path = join(folder, 'photos', name)
  await copyFile(join(samples, sample), path)
  return path
}
const picture = async (board: Board, name: string): Promise<string> => {
  const path = await photo(board, name)
  await writeFile(path, await screenshot(name.length))
  return path
}

/** Opens a clipboard, and processes what is copied there, by default an image. */
async function processed(content?: Parameters<Board['copy']>[0], options?: Parameters<typeof openBoard>[0]) {
  const board = await openBoard(options)
  board.copy(content ?? { 'image/png': await screenshot() })
  await board.jobs.process()
  return board
}

/** Undoes the first run. */
async function undo({ news: [ready], jobs }: Board): Promise<void> {
  await jobs.undo(ready?.kind === 'ready' ? ready.run : '')
}

/** A picture in one color, which takes little time however large it is. */
const plain = (width: number): Promise<Buffer> =>
  sharp({ create: { width, height: 3_000, channels: 3, background: '#48c' } })
    .png({ compressionLevel: 0 })
    .toBuffer()

describe('a copied image', () => {
  it('comes back as an image and as a file, and can be undone', async () => {
    const board = await openBoard()
    const png = await screenshot()
    const before = { 'image/png': png, 'text/html': '<img src="x.png">', 'application/x-own': 'layers' }
    board.copy({ ...before, TARGETS: 'x', 'image/bmp': 'the same image' })
    await board.jobs.process()

    const [news] = board.news
    expect(news).toMatchObject({ kind: 'ready', was: png.length, preset: 'Web 2048', results: 1 })
    if (news?.kind !== 'ready') throw new Error('not ready')
    const content = board.content()
    const [url] = pathsIn(content)
    const result = await readFile(fileURLToPath(url ?? ''))
    expect(result.length).toBe(news.now)
    expect(result.length).toBeLessThan(png.length)
    expect(Buffer.from(content['x-special/gnome-copied-files'] as Uint8Array).toString()).toBe(`copy\n${url}`)
    expect(Object.keys(content).toSorted()).toEqual(
      ['text/uri-list', 'x-special/gnome-copied-files', 'image/png', 'image/jpeg', MARK].toSorted(),
    )
    expect(await sharp(Buffer.from(content['image/png'] as Uint8Array)).metadata()).toMatchObject({
      width: 320,
      height: 200,
    })
    expect(Buffer.from(content['image/jpeg'] as Uint8Array).equals(result)).toBe(true)
    expect(board.jobs.resultOf(news.run)).toBe(fileURLToPath(url ?? ''))
    expect(board.core.history.page({}, { offset: 0, limit: 9 }).total).toBe(1)

    await board.jobs.undo(news.run)
    expect(board.news.at(-1)).toEqual({ kind: 'restored' })
    const restored = board.content()
    expect(Object.keys(restored).toSorted()).toEqual([...Object.keys(before), MARK].toSorted())
    expect((await sharp(restored['image/png'] as Uint8Array).metadata()).width).toBe(320)
    expect(Buffer.from(restored['application/x-own'] as Uint8Array).toString()).toBe('layers')
    // Only once: the content isn't the result's anymore.
    await board.jobs.undo(news.run)
    expect(board.news.at(-1)).toEqual({ kind: 'notRestored' })
    expect(board.jobs.resultOf(news.run)).toBeUndefined()
  })

  itInLongSuite('is processed with a task, and so are copied files', async () => {
    const board = await processed({ 'image/png': await screenshot() }, { preset: 'Under a size: 0.1 MB' })
    expect(board.news).toMatchObject([{ kind: 'ready', preset: 'Under a size: 0.1 MB', results: 1 }])
    board.copyFiles([await picture(board, 'longer.png')])
    await board.jobs.process()
    expect(board.news.at(-1)).toMatchObject({ kind: 'ready', preset: 'Under a size: 0.1 MB', results: 1 })
  })

  it('stays on the clipboard if something else was copied meanwhile', async () => {
    const board = await openBoard()
    board.copy({ 'image/png': await screenshot() })
    const other = { 'text/plain': 'copied meanwhile' }
    board.core.events.on('partFinished', () => board.copy(other))
    await board.jobs.process()
    const { records } = board.core.history.page({}, { offset: 0, limit: 9 })
    expect(board.news).toEqual([{ kind: 'changed', id: records[0]?.id }])
    expect(Object.keys(board.content())).toEqual(['text/plain'])
    expect(await readdir(join(board.folder, 'out'))).toHaveLength(1)
  })

  itInLongSuite('isn’t put back if something else was copied since', async () => {
    const board = await processed()
    const [news] = board.news
    board.copy({ 'text/plain': 'newer' })
    await board.jobs.undo(news?.kind === 'ready' ? news.run : '')
    expect(board.news.at(-1)).toEqual({ kind: 'notRestored' })
    expect(Object.keys(board.content())).toEqual(['text/plain'])
  })

  it('is left unchanged if the result isn’t smaller', async () => {
    const board = await openBoard({ preset: 'Remove metadata' })
    const png = await sharp({ create: { width: 40, height: 40, channels: 3, background: 'red' } })
      .png()
      .toBuffer()
    board.copy({ 'image/png': png })
    await board.jobs.process()
    expect(board.news).toEqual([{ kind: 'notSmaller' }])
    expect(Object.keys(board.content())).toEqual(['image/png'])
  })

  itInLongSuite(
    'isn’t processed again while its job runs, nor is its result with the same preset',
    async () => {
      const board = await openBoard()
      board.copy({ 'image/png': await screenshot() })
      await Promise.all([board.jobs.process(), board.jobs.process()])
      expect(board.news.map(({ kind }) => kind)).toEqual(['underWay', 'ready'])
      const { [MARK]: mark } = board.content()
      await board.jobs.process()
      expect(board.news.at(-1)).toEqual({ kind: 'notSmaller' })
      expect(board.content()[MARK]).toEqual(mark)
      expect(board.core.history.page({}, { offset: 0, limit: 9 }).total).toBe(1)
    },
  )

  it.each([
    ['nothing', {}],
    ['text', { 'text/plain': 'a' }],
    ['an image that can’t be read', { 'image/png': 'no picture' }],
    ['an unknown format', { 'application/x-nonsense': new Uint8Array(1_000) }],
    ['a file list that isn’t one', { 'text/uri-list': 'file://%zz\r\nhttp://a\r\n\u0000' }],
    ['an image in name only', { 'image/webp': 'no picture' }],
    ['a mark that isn’t one, without content', { [MARK]: '{' }],
  ])('is missing: %s', async (_what, content) => {
    const board = await processed(content, { isOnline: false })
    expect(board.news).toEqual([{ kind: 'nothing' }])
    expect(board.log).toEqual([])
    expect(board.content()).toEqual(board.content())
    expect(board.core.state.get().outbox).toEqual([])
  })

  itInLongSuite('that is too large fails, and the clipboard keeps it', async () => {
    const board = await openBoard()
    // A PNG that announces 20,000 × 20,000 pixels and contains none.
    const png = await screenshot()
    new DataView(png.buffer).setUint32(16, 20_000)
    new DataView(png.buffer).setUint32(20, 20_000)
    board.copy({ 'image/png': png })
    await board.jobs.process()
    expect(board.news).toMatchObject([{ kind: 'failed' }])
    expect(Buffer.from(board.content()['image/png'] as Uint8Array).equals(png)).toBe(true)
  })

  it('waits for the service with the clipboard as it is, and ends when its job is removed', async () => {
    const board = await openBoard({ isOnline: false })
    board.copy({ 'image/png': await screenshot() })
    const processing = board.jobs.process()
    await expect.poll(() => board.news).toEqual([{ kind: 'waiting' }])
    const [entry] = board.core.state.get().outbox
    expect(board.jobs.originals().has(entry?.firstPath ?? '')).toBe(true)
    if (entry !== undefined) board.core.outbox.remove(entry.id)
    await processing
    expect(board.news).toHaveLength(1)
    expect(Object.keys(board.content())).toEqual(['image/png'])
    expect(board.jobs.originals().size).toBe(0)
    // The same image may be processed again.
    void board.jobs.process()
    await expect.poll(() => board.core.state.get().outbox.length).toBe(1)
  })

  itInLongSuite('reports a preset that the service doesn’t have', async () => {
    const board = await processed({ 'image/png': await screenshot() }, { preset: 'Gone' })
    expect(board.news).toEqual([{ kind: 'notStarted' }])
  })

  itInLongSuite('never replaces originals, and isn’t saved next to them, even if new jobs are', async () => {
    const board = await openBoard()
    board.core.settings.update({ defaultOriginals: { kind: 'replace' } })
    board.copyFiles([await picture(board, 'a.png')])
    await board.jobs.process()
    expect(board.news).toMatchObject([{ kind: 'ready' }])
    expect(await readdir(join(board.folder, 'photos'))).toEqual(['a.png'])
  })
})

/** Lets another app open the clipboard just before Mediatray writes. */
function busyWhileWriting({ clipboard, setBusy }: Board) {
  const write = clipboard.write.bind(clipboard)
  return vi.spyOn(clipboard, 'write').mockImplementation(async (items) => {
    setBusy(true)
    await write(items)
    setBusy(false)
  })
}

describeInLongSuite('a clipboard that doesn’t accept everything', () => {
  it('reports that the result couldn’t be put on it', async () => {
    const board = await openBoard()
    const copied = { 'image/png': await screenshot() }
    board.copy(copied)
    busyWhileWriting(board)
    await board.jobs.process()
    const [record] = board.core.history.page({}, { offset: 0, limit: 9 }).records
    expect(board.news).toEqual([{ kind: 'blocked', id: record?.id }])
    expect(board.content()).toEqual(copied)
  })

  it('restores the earlier content later if another app has it open at first', async () => {
    const board = await processed()
    const [ready] = board.news
    const run = ready?.kind === 'ready' ? ready.run : ''
    const busy = busyWhileWriting(board)
    await board.jobs.undo(run)
    busy.mockRestore()
    await board.jobs.undo(run)
    expect(board.news.slice(1)).toEqual([{ kind: 'restoreBlocked' }, { kind: 'restored' }])
  })

  it.each([true, false])('on Wayland, is trusted only with the app in front: %s', async (isInFront) => {
    const board = await openBoard({ isInFront })
    const copied = { 'image/png': await screenshot() }
    board.copy(copied)
    await board.jobs.process()
    expect(board.news).toMatchObject([{ kind: 'ready', isConfirmed: isInFront }])
    expect(Object.keys(board.content()).includes('text/uri-list')).toBe(isInFront)
  })

  it('gets a bitmap only of a photo that is decoded quickly', async () => {
    const board = await openBoard({ preset: 'Grayscale' })
    const files = [await photo(board, 'large.png'), await photo(board, 'small.png')]
    for (const [index, width] of [4_001, 4_000].entries())
      await writeFile(files[index] ?? '', await plain(width))
    const pasted: boolean[] = []
    for (const file of files) {
      board.copyFiles([file])
      await board.jobs.process()
      expect(board.news.at(-1)).toMatchObject({ kind: 'ready', results: 1 })
      pasted.push('image/png' in board.content())
    }
    expect(pasted).toEqual([false, true])
  })

  it('on Windows, is recognized by a mark that ends with padding', async () => {
    const board = await processed(
      { 'image/png': await screenshot(), 'own format': 'layers', '17': 'the same as a bitmap' },
      { platform: 'win32' },
    )
    await board.jobs.process()
    expect(board.news).toMatchObject([{ kind: 'ready' }, { kind: 'notSmaller' }])
    await undo(board)
    expect(Object.keys(board.content()).toSorted()).toEqual([MARK, 'image/png', 'own format'].toSorted())
  })

  it('on macOS, gets back neither another copy of its image nor the text that was searched for', async () => {
    const board = await openBoard({ platform: 'darwin' })
    board.copy({
      'image/png': await screenshot(),
      'public.tiff': 'the same image',
      'NeXT TIFF v4.0 pasteboard type': 'the same image',
    })
    board.search('searched before')
    await board.jobs.process()
    board.search('searched since')
    await undo(board)
    expect(board.news.at(-1)).toEqual({ kind: 'restored' })
    expect(Object.keys(board.content()).toSorted()).toEqual([MARK, 'image/png'].toSorted())
    expect(board.findText()).toBe('searched since')
  })
})

describe('copied files', () => {
  it('come back as files: smaller ones as results, all others as they were', async () => {
    const board = await openBoard()
    const [large, second] = [await picture(board, 'large.png'), await picture(board, 'second one.png')]
    const small = join(board.folder, 'photos', 'small.jpg')
    await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .jpeg({ quality: 10 })
      .toFile(small)
    const text = join(board.folder, 'photos', 'text.txt')
    await writeFile(text, 'text')
    const gone = join(board.folder, 'photos', 'gone.jpg')
    const folder = join(board.folder, 'photos', 'inner')
    await mkdir(folder)
    const paths = [text, large, gone, second, folder, small]
    board.copyFiles(paths)
    await board.jobs.process()

    const sizes = await Promise.all([large, second].map(async (path) => (await stat(path)).size))
    expect(board.news).toMatchObject([{ kind: 'ready', was: (sizes[0] ?? 0) + (sizes[1] ?? 0), results: 2 }])
    const back = pathsIn(board.content()).map((url) => fileURLToPath(url))
    expect(back.filter((path) => paths.includes(path))).toEqual([text, gone, folder, small])
    expect([back[1], back[3]]).toEqual([
      expect.stringContaining(join(board.folder, 'out', 'large')),
      expect.stringContaining(join(board.folder, 'out', 'second one')),
    ])
    expect(board.content()['image/png']).toBeUndefined()
    expect(board.news[0]?.kind === 'ready' && board.jobs.resultOf(board.news[0].run)).toBeUndefined()
  })

  it.each([
    ['GNOME', (url: string) => ({ 'x-special/gnome-copied-files': `cut\n${url}` })],
    ['KDE', () => ({ 'application/x-kde-cutselection': '1' })],
    ['Windows', () => ({ 'Preferred DropEffect': new Uint8Array([2, 0, 0, 0]) })],
  ])('that were cut on %s stay cut', async (_desktop, more) => {
    const board = await openBoard({ isOnline: false })
    const path = await picture(board, 'a.png')
    board.copyFiles([path], more(pathToFileURL(path).href))
    const before = board.content()
    await board.jobs.process()
    expect(board.news).toEqual([{ kind: 'cut' }])
    expect(board.content()).toEqual(before)
  })

  itInLongSuite('that vanish before or during the job leave the clipboard as it is', async () => {
    const board = await openBoard()
    const path = await picture(board, 'a.png')
    board.copyFiles([path])
    await rm(path)
    await board.jobs.process()
    expect(board.news).toEqual([{ kind: 'nothing' }])

    const later = await picture(board, 'b.png')
    board.copyFiles([later])
    const before = board.content()
    board.core.events.on('outboxChanged', () => void rm(later, { force: true }))
    await board.jobs.process()
    expect(['failed', 'needsUser']).toContain(board.news[1]?.kind)
    expect(board.content()).toEqual(before)
  })

  itInLongSuite('are left out if the preset isn’t for them', async () => {
    const board = await openBoard()
    board.copyFiles([await photo(board, 'clip.mp4', 'sunrise.mp4')])
    await board.jobs.process()
    expect(board.news).toEqual([{ kind: 'nothing' }])
  })

  itInLongSuite('2,000 at once become one job', async () => {
    const board = await openBoard({ isOnline: false })
    const path = await picture(board, 'a.png')
    const bytes = await readFile(path)
    const paths = Array.from({ length: 2_000 }, (_, index) => join(board.folder, 'photos', `${index}.png`))
    for (const one of paths) await writeFile(one, bytes.subarray(0, 200))
    board.copyFiles(paths)
    void board.jobs.process()
    await expect.poll(() => board.news, { timeout: 30_000 }).toEqual([{ kind: 'waiting' }])
    const parts = board.core.outbox.list()
    expect(parts.flatMap(({ plan }) => plan.items)).toHaveLength(2_000)
    expect(parts.length).toBeGreaterThan(1)
    expect(new Set(parts.map(({ title }) => title.place.id)).size).toBe(1)
  })
})
