/** Files as people have them together, for the forecast: alike in some things and different in others. Always the same ones. */
import { execFile } from 'node:child_process'
import { mkdir, readdir, stat } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import sharp from 'sharp'
import { mediaKindOf } from '../src/shared/media-types.ts'
import type { MediaItem } from '../src/shared/model/media-item.ts'
import { madePhoto } from '../test/media/image/process-photo.ts'

const run = promisify(execFile)
const PHOTOS = 30
const FILMS = 6
/** What photos are cut from. */
const SCENE = { width: 3_000, height: 2_250 }

type Batch = { readonly name: string; readonly items: readonly MediaItem[] }

export async function makeBatches(folder: string): Promise<readonly Batch[]> {
  const own = process.env['MEDIATRAY_BENCH_MEDIA']
  const cut = createCutter(await madePhoto(SCENE.width, SCENE.height).raw().toBuffer())
  return [
    await batchOf(join(folder, 'one camera'), (target, chance) =>
      each(PHOTOS, (index) => cut(join(target, `${index}.jpg`), { width: 2_000, height: 1_500 }, 92, chance)),
    ),
    await batchOf(join(folder, 'many sizes'), (target, chance) =>
      each(PHOTOS, (index) =>
        cut(join(target, `${index}.jpg`), sizeOf(600 + 2_200 * chance()), 70 + 25 * chance(), chance),
      ),
    ),
    await batchOf(join(folder, 'many formats'), (target, chance) =>
      each(PHOTOS, (index) => {
        const ending = ['jpg', 'jpg', 'png', 'webp', 'tiff'][index % 5]
        return cut(join(target, `${index}.${ending}`), sizeOf(500 + 1_000 * chance()), 85, chance)
      }),
    ),
    await batchOf(join(folder, 'films and photos'), async (target, chance) => {
      await each(FILMS, (index) => makeFilm(join(target, `${index}.mp4`), 4 + 10 * chance(), chance))
      await each(PHOTOS / 2, (index) => cut(join(target, `${index}.jpg`), sizeOf(1_600), 88, chance))
    }),
    own === undefined
      ? await batchOf(join(folder, 'films'), (target, chance) =>
          each(FILMS, (index) => makeFilm(join(target, `${index}.mp4`), 6 + 20 * chance(), chance)),
        )
      : { name: 'own media', items: await itemsIn(own) },
  ]
}

/** Numbers from 0 to 1. */
type Chance = () => number

async function batchOf(
  folder: string,
  make: (folder: string, chance: Chance) => Promise<void>,
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

/** The same numbers for the same seed. */
function seeded(seed: number): Chance {
  let state = seed
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32
  }
}

type Extent = { readonly width: number; readonly height: number }

const sizeOf = (width: number): Extent => ({ width: Math.round(width), height: Math.round(width * 0.75) })

/** Parts of one scene, from near or far, sharp or soft: some compress to a tenth of what others do. */
function createCutter(scene: Buffer) {
  return async (
    target: string,
    { width, height }: Extent,
    quality: number,
    chance: Chance,
  ): Promise<void> => {
    const part = 0.3 + 0.7 * chance()
    const [partWidth, partHeight] = [Math.round(SCENE.width * part), Math.round(SCENE.height * part)]
    const picture = sharp(scene, { raw: { ...SCENE, channels: 3 } })
      .extract({
        left: Math.floor((SCENE.width - partWidth) * chance()),
        top: Math.floor((SCENE.height - partHeight) * chance()),
        width: partWidth,
        height: partHeight,
      })
      .resize(width, height)
      .blur(0.3 + 2 * chance() ** 2)
      .modulate({ brightness: 0.6 + 0.7 * chance() })
    await (target.endsWith('.jpg') ? picture.jpeg({ quality: Math.round(quality) }) : picture).toFile(target)
  }
}

/** Some move much and some little, some are noisy. */
async function makeFilm(target: string, seconds: number, chance: Chance): Promise<void> {
  const source = chance() < 0.5 ? 'testsrc2=s=854x480:r=25' : 'gradients=s=854x480:r=25:speed=0.05'
  const noise = `noise=alls=${Math.round(1 + 12 * chance())}:allf=t`
  const input = ['-f', 'lavfi', '-i', source, '-t', seconds.toFixed(1), '-vf', noise]
  const output = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '20', '-pix_fmt', 'yuv420p', target]
  await run('ffmpeg', ['-v', 'error', '-nostdin', '-y', ...input, ...output])
}
