/** Every file type on its way through the app, the command line, uploads and watched folders. */
import { existsSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { copyFile, mkdir, readFile, utimes, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, dirname, extname, join, relative } from 'node:path'
import sharp from 'sharp'
import { beforeAll, describe, expect, it } from 'vitest'
import { startWatching } from '../../../src/main/core/index.ts'
import type { Core } from '../../../src/main/core/index.ts'
import { processImage } from '../../../src/media/image/process-image.ts'
import { processVideo } from '../../../src/media/video/process-video.ts'
import { ImageRecipe, VideoRecipe } from '../../../src/shared/preset/preset.ts'
import { mediaCorpus } from '../../media-corpus.ts'
import { run } from '../cli/command.ts'
import { folderIn } from '../watch/watched.ts'
import { KEY, strictService } from '../aliases/strict-service.ts'
import {
  endOfDraft,
  nextEnd,
  openTestCore,
  openUntilEnd,
  samples,
  stateWhen,
  timing,
  useBuiltIn,
} from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

/** Files by name. Their contents don't depend on their endings. */
const ANY_SERVICE = [
  'a.tif',
  'b.jfif',
  'c.jpe',
  'd.dat',
  'e',
  'f.png',
  'g.jpg',
  'h.qt',
  'i.mp4',
  'j.jpeg',
] as const
const BUILT_IN = ['k.avif', 'l.jxl', 'm.gif'] as const
const REFUSED = ['n.nef', 'o.txt'] as const

let contents: Readonly<Record<string, Buffer>> = {}

beforeAll(async () => {
  const photo = sharp({ create: { width: 64, height: 48, channels: 3, background: '#48a' } })
  const [jpeg, tiff, avif, gif] = await Promise.all(
    (['jpeg', 'tiff', 'avif', 'gif'] as const).map((format) => photo.clone().toFormat(format).toBuffer()),
  )
  const folder = mkdtempSync(join(tmpdir(), 'mediatray-types-'))
  await writeFile(join(folder, 'x.jpg'), jpeg ?? '')
  const jxl = join(folder, 'x.jxl')
  await processImage({
    inputPath: join(folder, 'x.jpg'),
    recipe: ImageRecipe.parse({ format: 'jxl' }),
    variation: undefined,
    neverLarger: false,
    temporaryPath: () => jxl,
    onProgress: () => undefined,
    signal: new AbortController().signal,
  })
  const clip = await clipIn(folder)
  const jpegs = Object.fromEntries(
    ['b.jfif', 'c.jpe', 'd.dat', 'e', 'f.png', 'g.jpg', 'j.jpeg'].map((name) => [name, jpeg]),
  )
  contents = {
    ...jpegs,
    'a.tif': tiff,
    'h.qt': clip,
    'i.mp4': clip,
    'k.avif': avif,
    'l.jxl': await readFile(jxl),
    'm.gif': gif,
    'n.nef': tiff,
    'o.txt': Buffer.from('a text'),
  } as Record<string, Buffer>
  rmSync(folder, { recursive: true })
})

/** Returns a video of a few small pictures, which takes little time with every preset. */
async function clipIn(folder: string): Promise<Buffer> {
  const path = join(folder, 'clip.mp4')
  await processVideo(
    {
      inputPath: join(samples, 'sunrise.mp4'),
      recipe: VideoRecipe.parse({ height: 90, fps: 4 }),
      variation: undefined,
      neverLarger: false,
      temporaryPath: () => path,
      onProgress: () => undefined,
      signal: new AbortController().signal,
    },
    [],
  )
  return readFile(path)
}

/** @returns the folder with the files */
async function filesIn(root: string, names: readonly string[]): Promise<string> {
  const folder = join(root, 'in')
  await mkdir(folder, { recursive: true })
  for (const name of names) {
    await writeFile(join(folder, name), contents[name] ?? '')
    await utimes(join(folder, name), 1_500_000_000, 1_600_000_000)
  }
  return folder
}

async function useStrict(core: Core, baseUrl: string): Promise<void> {
  await core.connection.useExternal({ baseUrl, key: KEY, keep: 'session' })
  await stateWhen(core, ({ connection }) => connection.state.status === 'online')
}

/** Creates files and a service that accepts 13 extensions, and adds the files to the draft of a core that uses it. */
async function withStrict(names: readonly string[]) {
  const data = temporaryFolder()
  const folder = await filesIn(data, names)
  const service = await strictService(data)
  const core = await openUntilEnd(data)
  await useStrict(core, service.baseUrl)
  await core.intake.add([folder])
  return { data, folder, service, core }
}

const stagedIn = (data: string): readonly string[] =>
  existsSync(join(data, 'staged')) ? readdirSync(join(data, 'staged')) : []

const namesOf = (paths: readonly string[]) => paths.map((path) => basename(path)).toSorted()

describe('files for a service that accepts 13 extensions', () => {
  it('reach it from the app under accepted names, and the record names the user’s own files', async () => {
    const { data, folder, service, core } = await withStrict([...ANY_SERVICE, ...BUILT_IN, ...REFUSED])
    const dates: number[] = []
    service.onInput = (path) => void dates.push(statSync(path).mtimeMs)
    const { rejected } = core.drafts.store.view()
    expect(rejected.map(({ name, reason }) => `${name} ${reason}`).toSorted()).toEqual([
      'k.avif avifBuiltInOnly',
      'l.jxl jxlBuiltInOnly',
      'm.gif gifBuiltInOnly',
      'n.nef raw',
      'o.txt unsupported',
    ])
    const record = await endOfDraft(core)
    // The video is an MP4 file, whatever its ending says.
    expect(namesOf(service.inputs)).toEqual([
      'a.tiff',
      'b.jpg',
      'c.jpg',
      'd.jpg',
      'e.jpg',
      'f.jpg',
      'g.jpg',
      'h.mp4',
      'i.mp4',
      'j.jpeg',
    ])
    expect(new Set(dates)).toEqual(new Set([1_600_000_000_000]))
    expect(record.outcome).toMatchObject({ kind: 'done', results: ANY_SERVICE.length })
    expect(record.inputs.map(({ name }) => name)).toEqual([...ANY_SERVICE])
    expect(record.results.map(({ file }) => file)).toEqual(ANY_SERVICE.map((name) => join(folder, name)))
    await core.close()
    expect(stagedIn(data)).toEqual([])
  })

  it('are uploaded under accepted names, without an alias', async () => {
    const { data, service, core } = await withStrict(['a.tif', 'e'])
    const record = await endOfDraft(core, { upload: true })
    expect(service.uploads).toEqual(['a.tiff', 'e.jpg'])
    expect(record.outcome).toMatchObject({ kind: 'done', results: 2 })
    expect(record.results.map(({ file }) => basename(file))).toEqual(['a.tif', 'e'])
    await core.close()
    expect(stagedIn(data)).toEqual([])
  })

  it('keep their aliases and names while a job is running, also in the next process', async () => {
    const { data, service, core: first } = await withStrict(['a.tif', 'e'])
    service.isHeld = true
    await first.drafts.start({ split: false, grace: 0 })
    const { jobs } = await stateWhen(first, (state) => typeof state.jobs[0]?.progress.fileName === 'string')
    expect(jobs[0]?.progress.fileName).toBe('a.tif')
    await first.close()
    expect(service.inputs.filter((path) => existsSync(path))).toHaveLength(2)

    service.isHeld = false
    const next = await openTestCore(data)
    const ended = nextEnd(next)
    await useStrict(next, service.baseUrl)
    const record = await ended
    expect(record.outcome).toMatchObject({ kind: 'done', results: 2 })
    expect(record.results.map(({ file }) => basename(file))).toEqual(['a.tif', 'e'])
    await next.close()
    expect(service.inputs.filter((path) => existsSync(path))).toEqual([])
    expect(stagedIn(data)).toEqual([])
  })

  it('reach it from the command line', async () => {
    const data = temporaryFolder()
    const folder = await filesIn(data, [...ANY_SERVICE, 'm.gif'])
    const service = await strictService(data)
    const { stdout, stderr, code } = await run(
      ['submit', folder, '--output', join(data, 'out'), '--wait', '--json', '--base-url', service.baseUrl],
      { env: { MEDIATRAY_API_KEY: KEY, MEDIATRAY_DATA_DIR: data } },
    )
    expect(stderr + stdout).toContain('m.gif')
    expect(code).not.toBe(0)
    expect(service.inputs).toHaveLength(ANY_SERVICE.length)
    expect(stdout).not.toContain('mediatray-staging')
    expect(stagedIn(data)).toEqual([])
  })

  it('reach it from a watched folder', async () => {
    const data = temporaryFolder()
    const service = await strictService(data)
    const core = await openUntilEnd(data)
    await useStrict(core, service.baseUrl)
    await filesIn(data, [])
    core.settings.update({
      watchFolders: [folderIn(data, { grouping: 'together', windowMs: 1_000 })],
    })
    const watch = startWatching({ core, timing, onTrouble: () => {}, log: () => {} })
    // Files that are there before the first scan aren't new.
    await watch.whenScanned()
    // The files may arrive in one job or in two.
    const named: string[] = []
    const ended = new Promise<void>((resolve) => {
      core.events.on('partFinished', ({ inputs }) => {
        named.push(...inputs.map(({ name }) => name))
        if (named.length >= 2) resolve()
      })
    })
    await filesIn(data, ['a.tif', 'e', 'o.txt', 'n.nef'])
    await ended
    expect(named.toSorted()).toEqual(['a.tif', 'e'])
    expect(namesOf(service.inputs)).toEqual(['a.tiff', 'e.jpg'])
    await watch.close()
  })

  itInLongSuite('move between accepted and rejected when the user switches the service', async () => {
    const { service, core } = await withStrict(['a.tif', 'm.gif'])
    const names = () => {
      const { source, rejected } = core.drafts.store.view()
      return [
        source.kind === 'files' ? source.items.map(({ name }) => name) : [],
        rejected.map(({ name }) => name),
      ]
    }
    expect(names()).toEqual([['a.tif'], ['m.gif']])
    await useBuiltIn(core)
    expect(names()).toEqual([['a.tif', 'm.gif'], []])
    await useStrict(core, service.baseUrl)
    expect(names()).toEqual([['a.tif'], ['m.gif']])
  })
})

describe('files for the built-in service', () => {
  itInLongSuite(
    'are processed regardless of their names, and results keep the names of the user’s own files',
    async () => {
      const data = temporaryFolder()
      const folder = await filesIn(data, [...ANY_SERVICE, ...BUILT_IN])
      const core = await openTestCore(data)
      await useBuiltIn(core)
      await core.intake.add([folder])
      expect(core.drafts.store.view().rejected).toEqual([])
      const record = await endOfDraft(core)
      expect(record.problems).toEqual([])
      expect(record.outcome).toMatchObject({ kind: 'done', results: ANY_SERVICE.length + BUILT_IN.length })
      expect(record.results.map(({ file }) => basename(file))).toEqual([...ANY_SERVICE, ...BUILT_IN])
      for (const { file, outputPath } of record.results) {
        const stem = basename(file, extname(file))
        expect(basename(outputPath)).toMatch(new RegExp(`^${stem}\\b`))
      }
      const endingOf = (stem: string) =>
        extname(record.results.find(({ file }) => basename(file).startsWith(stem))?.outputPath ?? '')
      expect([endingOf('k'), endingOf('l'), endingOf('m')]).toEqual(['.avif', '.jxl', '.gif'])
      await core.close()
      expect(stagedIn(data)).toEqual([])
    },
  )

  itInLongSuite('keep the folders of the user’s own files if the preset does', async () => {
    const data = temporaryFolder()
    const presets = join(data, 'service', 'presets')
    await mkdir(presets, { recursive: true })
    await writeFile(
      join(presets, 'tree.json'),
      JSON.stringify({ name: 'Tree', image: {}, results: { folders: 'keep' } }),
    )
    const folder = await filesIn(data, [])
    for (const name of ['one/a.tif', 'two/deep/b.jfif', 'two/g.jpg']) {
      await mkdir(join(folder, name, '..'), { recursive: true })
      await writeFile(join(folder, name), contents[basename(name)] ?? '')
    }
    const core = await openTestCore(data)
    await useBuiltIn(core)
    await core.intake.add([folder])
    core.drafts.store.change({ presets: ['Tree'] })
    const { results } = await endOfDraft(core)
    const folders = results.map(({ outputPath }) => relative(join(data, 'out'), dirname(outputPath)))
    expect(folders).toEqual(['one', 'two', 'two/deep'])
    await core.close()
  })

  const photos = mediaCorpus().filter(
    ({ kind, expect, bytes }) => kind === 'image' && expect === 'processable' && bytes < 300_000,
  )
  it.skipIf(photos.length === 0)(
    'are recognized without their endings: every small photo of the corpus',
    async () => {
      const data = temporaryFolder()
      const folder = await filesIn(data, [])
      for (const [n, { path }] of photos.entries()) await copyFile(path, join(folder, `photo ${n}`))
      const core = await openUntilEnd(data)
      await core.intake.add([folder])
      const { source, rejected } = core.drafts.store.view()
      expect(rejected).toEqual([])
      expect(source.kind === 'files' && source.items.every(({ kind }) => kind === 'image')).toBe(true)
    },
  )
})
