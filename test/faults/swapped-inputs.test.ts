/**
 * Another user exchanges photos at every step between their acceptance and their results, over and over. No pixel of a private photo
 * may reach an alias, an upload, a thumbnail, a preview, an estimate or a result.
 */
import { chmod, link, mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import sharp from 'sharp'
import { describe, expect, it } from 'vitest'
import { makeThumbnail } from '../../src/media/thumbnail.ts'
import { createImagePreview } from '../../src/media/image/preview-image.ts'
import { openAliases } from '../../src/main/aliases/index.ts'
import { openUploadSource } from '../../src/main/service-api/upload-source.ts'
import { openIdentified } from '../../src/node/file-identity.ts'
import { FailureError } from '../../src/shared/failure/failure-error.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import type { MediaItem } from '../../src/shared/model/media-item.ts'
import { createTrials } from '../../src/main/estimate/trials.ts'
import { previewVideo } from '../../src/media/video/preview-video.ts'
import { startWorker } from '../../src/media/start-worker.ts'
import { PERMISSIONS } from '../../src/node/confinement.ts'
import { systemTiming } from '../../src/node/timing.ts'
import { WORKER } from '../entries.ts'
import { type Clip, evenTimes, makeClip } from '../media/video/make-clip.ts'
import { ImageRecipe, VideoRecipe } from '../../src/shared/preset/preset.ts'
import { startService } from '../conformance/running-service.ts'
import { temporaryFolder } from '../temporary-folder.ts'
import { isLongSuite, itInLongSuite } from './long-suite.ts'
import { seededRandom } from './seeded-random.ts'

const ROUNDS = isLongSuite ? 200 : 3
const VARIATIONS = 20
const SIZE = { width: 48, height: 32 }
const OPEN = { r: 220, g: 120, b: 20 }
const SECRET = { r: 10, g: 20, b: 250 }

/** Reads the content of encoded pixels. The private photo is blue, and the others are orange. */
async function isSecret(content: string | Buffer): Promise<boolean> {
  const { channels } = await sharp(content).stats()
  return (channels[2]?.mean ?? 0) > 128
}

type Way = 'link' | 'second name' | 'folder'
const WAYS: readonly Way[] = ['link', 'second name', 'folder']

type Contents = Readonly<Record<'open' | 'secret', Buffer | Promise<Buffer>>>

const photoOf = (background: typeof OPEN) =>
  sharp({ create: { ...SIZE, channels: 3, background } })
    .jpeg()
    .toBuffer()

/** A private photo whose result would be larger and lose its transparency. */
const clearPhoto = () =>
  sharp({
    create: {
      ...SIZE,
      channels: 4,
      background: { ...SECRET, alpha: 0.5 },
      noise: { type: 'gaussian', mean: 128, sigma: 60 },
    },
  })
    .png()
    .toBuffer()

/** @param height tells the videos apart */
async function videoOf(height: number, changes: Partial<Clip> = { codec: 'h264' }): Promise<Buffer> {
  const path = join(temporaryFolder(), 'a.mp4')
  await makeClip(path, { width: 64, height, times: evenTimes(5, 25), ...changes })
  return readFile(path)
}

/** A shared folder with a photo that was accepted, and a private photo. */
async function scene(
  random: () => number,
  name = random() < 0.5 ? 'a.jpe' : 'a.jpg',
  { open, secret: hidden }: Contents = { open: photoOf(OPEN), secret: photoOf(SECRET) },
) {
  const root = temporaryFolder()
  const [home, shared] = [join(root, 'home'), join(root, 'shared', 'trip')]
  await mkdir(home, { mode: 0o700 })
  await mkdir(shared, { recursive: true })
  const [path, secret] = [join(shared, name), join(home, name)]
  await writeFile(path, await open)
  const way = WAYS[Math.floor(random() * WAYS.length)] ?? 'link'
  await writeFile(secret, await hidden)
  // A folder that no one else can enter often holds files that everyone could read.
  await chmod(secret, way === 'folder' ? 0o644 : 0o600)
  await using accepted = await openIdentified(path)
  const { size } = await stat(path)
  const item: MediaItem = {
    path,
    name,
    kind: name.endsWith('.mp4') ? 'video' : 'image',
    size,
    identity: accepted.identity,
    ...(name === 'a.jpe' ? { format: 'jpg' } : {}),
  }
  return { root, home, shared, secret, way, item }
}

type Scene = Awaited<ReturnType<typeof scene>>

async function swapIn({ root, home, shared, secret, way, item }: Scene): Promise<void> {
  if (way === 'folder') {
    await rename(shared, join(root, 'away'))
    await symlink(home, shared)
    return
  }
  await rename(item.path, join(root, 'away'))
  await (way === 'link' ? symlink(secret, item.path) : link(secret, item.path))
}

async function swapBack({ root, shared, way, item }: Scene): Promise<void> {
  await rm(way === 'folder' ? shared : item.path)
  await rename(join(root, 'away'), way === 'folder' ? shared : item.path)
}

/** Exchanges the files until the work has ended, and leaves the photo in its place. */
async function whileSwapping(at: Scene, random: () => number, work: () => Promise<unknown>): Promise<void> {
  const over = new AbortController()
  const swapping = (async () => {
    while (!over.signal.aborted) {
      await swapIn(at)
      await someTicks(random() * 20)
      await swapBack(at)
      await someTicks(random() * 60)
    }
  })()
  try {
    await work()
  } finally {
    over.abort()
    await swapping
  }
}

async function someTicks(ticks: number): Promise<void> {
  for (let left = ticks; left > 0; left--) await new Promise((resolve) => setImmediate(resolve))
}

/** Failures are what the user sees. Anything else is a fault of ours. */
const unlessRefused = (error: unknown): undefined => {
  if (error instanceof FailureError) return undefined
  throw error
}

async function secretsIn(folder: string): Promise<string[]> {
  const found = await readdir(folder, { recursive: true, withFileTypes: true }).catch(() => [])
  const files = found.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  const are = await Promise.all(files.filter((file) => file.endsWith('.jpg')).map(isSecret))
  return files.filter((_, n) => are[n])
}

describe.skipIf(process.platform !== 'linux')('while another user exchanges a photo', () => {
  it('its thumbnail and its preview never show the private one', async () => {
    const random = seededRandom(1)
    await using previews = createImagePreview()
    for (let round = 0; round < ROUNDS; round++) {
      const at = await scene(random)
      const { path, identity } = at.item
      const shown: Uint8Array[] = []
      await whileSwapping(at, random, async () => {
        for (let turn = 0; turn < 10; turn++) {
          const thumbnail = await makeThumbnail({ path, identity, pixels: 32 }).catch(unlessRefused)
          if (thumbnail !== undefined) shown.push(thumbnail)
          const view = { width: 32, height: 32, middle: null }
          const recipe = ImageRecipe.parse({})
          const request = { kind: 'part', id: 1, givesWay: false, path, identity, recipe, view } as const
          const part = await previews.part(request).catch(unlessRefused)
          if (part !== undefined) shown.push(part.pixels.before, part.pixels.after)
        }
      })
      const are = await Promise.all(shown.map((bytes) => isSecret(Buffer.from(bytes))))
      expect({ round, way: at.way, secrets: are.filter(Boolean).length }).toEqual({
        round,
        way: at.way,
        secrets: 0,
      })
    }
  })

  itInLongSuite.each(['a.jpg', 'a.mp4'])(
    'the estimate and the losses of %s never tell about the private one',
    async (name) => {
      const random = seededRandom(4)
      const folder = join(temporaryFolder(), 'trials')
      const trials = createTrials({
        start: () => startWorker('trials', { path: WORKER, folders: [folder], confinement: PERMISSIONS }),
        folder,
        timing: systemTiming,
      })
      const never = new AbortController().signal
      const isVideo = name.endsWith('.mp4')
      const contents = isVideo
        ? {
            open: await videoOf(48),
            secret: await videoOf(96, { pixelFormat: 'yuv420p10le', transfer: 'pq' }),
          }
        : { open: await photoOf(OPEN), secret: await clearPhoto() }
      const recipe = isVideo
        ? ({ kind: 'video', video: VideoRecipe.parse({ speed: 'ultrafast', crf: 30 }) } as const)
        : ({ kind: 'image', image: ImageRecipe.parse({ format: 'jpeg' }) } as const)
      try {
        for (let round = 0; round < ROUNDS; round++) {
          const at = await scene(random, name, contents)
          const { path, identity } = at.item
          const trial = { path, identity, recipe, neverLarger: false }
          const sizes: number[] = []
          const losses: unknown[] = []
          await whileSwapping(at, random, async () => {
            for (let turn = 0; turn < 10; turn++) {
              const found = await trials.estimate(trial, never)
              if (found.kind === 'estimate') sizes.push(found.estimate.bytes)
              const foreseen = await trials.foresee(trial, never)
              if (foreseen.kind === 'foreseen') losses.push(...foreseen.losses)
            }
          })
          const expected = await trials.estimate(trial, never)
          if (expected.kind !== 'estimate') throw new Error('The file can’t be estimated.')
          const { bytes } = expected.estimate
          const others = sizes.filter((size) => size !== bytes)
          expect({ round, way: at.way, others, losses }).toEqual({
            round,
            way: at.way,
            others: [],
            losses: [],
          })
        }
      } finally {
        trials.close()
      }
    },
    300_000,
  )

  it('a video’s preview never shows the private one', async () => {
    const random = seededRandom(5)
    const contents = { open: await videoOf(48), secret: await videoOf(96) }
    for (let round = 0; round < ROUNDS; round++) {
      const at = await scene(random, 'a.mp4', contents)
      const { path, identity } = at.item
      const recipe = VideoRecipe.parse({ speed: 'ultrafast' })
      const heights: number[] = []
      await whileSwapping(at, random, async () => {
        for (let turn = 0; turn < 5; turn++) {
          const made = await previewVideo({ path, identity, recipe, start: null }).catch(unlessRefused)
          if (made !== undefined) heights.push(made.video.original.height)
        }
      })
      expect({ round, way: at.way, others: heights.filter((height) => height !== 48) }).toEqual({
        round,
        way: at.way,
        others: [],
      })
    }
  }, 300_000)

  itInLongSuite('its alias and its upload never hold the private one', async () => {
    const random = seededRandom(2)
    for (let round = 0; round < ROUNDS; round++) {
      const at = await scene(random)
      const data = join(at.root, 'data')
      const aliases = openAliases({
        folder: data,
        isOpen: () => true,
        log: () => undefined,
        beforeLinkChange: () => Promise.resolve(),
      })
      const uploads: Buffer[] = []
      await whileSwapping(at, random, async () => {
        for (let turn = 0; turn < 10; turn++) {
          const id = asRecordId(`r${turn}`)
          const signal = new AbortController().signal
          const { unsent } = await aliases.create(id, [at.item], { isBuiltIn: false, signal })
          expect(unsent.every(({ failure }) => failure?.code !== 'notStaged')).toBe(true)
          const opened = await openUploadSource({
            path: at.item.path,
            name: 'a.jpg',
            identity: at.item.identity,
          })
          if (!opened.ok) continue
          uploads.push(Buffer.concat(await opened.value.body.toArray()))
          await opened.value.close()
        }
      })
      await aliases.close()
      const are = await Promise.all(uploads.map(isSecret))
      expect({ round, way: at.way, secrets: [await secretsIn(data), are.filter(Boolean)] }).toEqual({
        round,
        way: at.way,
        secrets: [[], []],
      })
    }
  })

  itInLongSuite(
    'the built-in service never makes a result from the private one, and its log holds nothing of it',
    async () => {
      const random = seededRandom(3)
      await using service = await startService()
      for (let round = 0; round < ROUNDS; round++) {
        const at = await scene(random, 'a.jpg')
        const out = join(at.root, 'out')
        const identities = random() < 0.5 ? { identities: [at.item.identity] } : {}
        const request = { filePath: at.item.path, outputFolder: out, batchCount: VARIATIONS, ...identities }
        const { jobId } = await service.accept(request)
        await whileSwapping(at, random, () => service.finished(jobId))
        const { results = [], errors = [] } = await service.job(jobId)
        expect(results.length + errors.length).toBe(VARIATIONS)
        for (const { failure } of errors) expect(['fileReplaced', 'fileUnreadable']).toContain(failure?.code)
        expect({ round, way: at.way, secrets: await secretsIn(out) }).toEqual({
          round,
          way: at.way,
          secrets: [],
        })
        expect(service.stderr()).not.toContain(at.home)
      }
    },
  )
})
