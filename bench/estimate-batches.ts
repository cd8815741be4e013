/** Typical batches of files for the estimate: photos and videos that differ in size, format and content. Deterministic. */
import { mkdir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import sharp from 'sharp'
import { mediaKindOf } from '../src/shared/media-types.ts'
import type { MediaItem } from '../src/shared/model/media-item.ts'
import { samplePhoto } from '../test/media/image/process-photo.ts'
import { ffmpeg } from './other-tools.ts'

const PHOTOS = 30
const VIDEOS = 6
/** The scene that photos are cropped from. */
const SCENE = { width: 3_000, height: 2_250 }

type Batch = { readonly name: string; readonly items: readonly MediaItem[] }

export async function makeBatches(folder: string): Promise<readonly Batch[]> {
  const ownFolder = process.env['MEDIATRAY_BENCH_MEDIA']
  const crop = createCropper(await samplePhoto(SCENE.width, SCENE.height).raw().toBuffer())
  return [
    await batchOf(join(folder, 'one camera'), (target, random) =>
      each(PHOTOS, (index) =>
        crop(join(target, `${index}.jpg`), { width: 2_000, height: 1_500 }, 92, random),
      ),
    ),
    await batchOf(join(folder, 'many sizes'), (target, random) =>
      each(PHOTOS, (index) =>
        crop(join(target, `${index}.jpg`), sizeOf(600 + 2_200 * random()), 70 + 25 * random(), random),
      ),
    ),
    await batchOf(join(folder, 'many formats'), (target, random) =>
      each(PHOTOS, (index) => {
        const ending = ['jpg', 'jpg', 'png', 'webp', 'tiff'][index % 5]
        return crop(join(target, `${index}.${ending}`), sizeOf(500 + 1_000 * random()), 85, random)
      }),
    ),
    await batchOf(join(folder, 'videos and photos'), async (target, random) => {
      await each(VIDEOS, (index) => makeVideo(join(target, `${index}.mp4`), 4 + 10 * random(), random))
      await each(PHOTOS / 2, (index) => crop(join(target, `${index}.jpg`), sizeOf(1_600), 88, random))
    }),
    ownFolder === undefined
      ? await batchOf(join(folder, 'videos'), (target, random) =>
          each(VIDEOS, (index) => makeVideo(join(target, `${index}.mp4`), 6 + 20 * random(), random)),
        )
      : { name: 'own media', items: await itemsIn(ownFolder) },
  ]
}

/** Returns a number from 0 to 1. */
type Random = () => number

async function batchOf(
  folder: string,
  make: (folder: string, random: Random) => Promise<void>,
): Promise<Batch> {
  await mkdir(folder)
  await make(folder, seeded(folder.length))
  return { name: basename(folder), items: await itemsIn(folder) }
}

async function each(count: number, make: (index: number) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < count; index += 1) await make(index)
}

async function itemsIn(folder: string): Promise<readonly MediaItem[]> {
  const names = await readdir(folder)
  const media = names.filter((name) => mediaKindOf(name) !== undefined).toSorted()
  return Promise.all(media.map((name) => itemOf(join(folder, name))))
}

export async function itemOf(path: string): Promise<MediaItem> {
  return { path, name: basename(path), kind: mediaKindOf(path) ?? 'image', size: (await stat(path)).size }
}

/** Returns a deterministic random number generator. */
function seeded(seed: number): Random {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Extent = { readonly width: number; readonly height: number }

const sizeOf = (width: number): Extent => ({ width: Math.round(width), height: Math.round(width * 0.75) })

/** Crops one scene, close or distant, sharp or blurred. Some results compress ten times better than others. */
function createCropper(scene: Buffer) {
  return async (
    target: string,
    { width, height }: Extent,
    quality: number,
    random: Random,
  ): Promise<void> => {
    const part = 0.3 + 0.7 * random()
    const [partWidth, partHeight] = [Math.round(SCENE.width * part), Math.round(SCENE.height * part)]
    const image = sharp(scene, { raw: { ...SCENE, channels: 3 } })
      .extract({
        left: Math.floor((SCENE.width - partWidth) * random()),
        top: Math.floor((SCENE.height - partHeight) * random()),
        width: partWidth,
        height: partHeight,
      })
      .resize(width, height)
      .blur(0.3 + 2 * random() ** 2)
      .modulate({ brightness: 0.6 + 0.7 * random() })
    await (target.endsWith('.jpg') ? image.jpeg({ quality: Math.round(quality) }) : image).toFile(target)
  }
}

/** Creates a video with much or little motion and noise. */
async function makeVideo(target: string, seconds: number, random: Random): Promise<void> {
  const source = random() < 0.5 ? 'testsrc2=s=854x480:r=25' : 'gradients=s=854x480:r=25:speed=0.05'
  const noise = `noise=alls=${Math.round(1 + 12 * random())}:allf=t`
  const input = ['-f', 'lavfi', '-i', source, '-t', seconds.toFixed(1), '-vf', noise]
  await ffmpeg(input, '-c:v libx264 -preset veryfast -crf 20 -pix_fmt yuv420p'.split(' '), target)
}
