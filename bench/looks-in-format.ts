/**
 * What one format makes of photos with a look, in a process of its own: formats are measured beside each other, and each by the
 * processor's time. `looks-in-format.ts FORMAT FOLDER PHOTO …` prints a list of `MadeWithLook` as JSON.
 */
import sharp from 'sharp'
import * as z from 'zod'
import { asSeen, openEncoded } from '../src/media/image/as-seen.ts'
import type { Outcome } from '../src/media/image/find-quality.ts'
import { encoderValue, type LossyFormat } from '../src/media/image/quality-scale.ts'
import { createScorer } from '../src/media/image/ssimulacra2.ts'
import { lookNumber, type NamedLook } from '../src/shared/preset/look.ts'
import { processPhoto } from './process-photo.ts'

export const FORMATS: readonly LossyFormat[] = ['jpeg', 'webp', 'avif', 'jxl']
export const LOOKS = ['high', 'medium'] as const satisfies readonly NamedLook[]
/** So far from a look it is still the same. */
export const POINTS = 2

export const isNear = (look: NamedLook, score: number): boolean =>
  Math.abs(score - lookNumber(look)) <= POINTS

export const MadeWithLook = z.object({
  look: z.enum(LOOKS),
  photo: z.string(),
  score: z.number(),
  bytes: z.int(),
  /** Of the processor. */
  seconds: z.number(),
  /** Where the look was missed: of all scores that this photo has in this format for no more bytes, the one nearest to it. */
  nearest: z.number().optional(),
})
export type MadeWithLook = Readonly<z.infer<typeof MadeWithLook>>

async function make(
  photo: string,
  folder: string,
  look: MadeWithLook['look'],
  format: LossyFormat,
): Promise<MadeWithLook> {
  const before = process.cpuUsage()
  const { bytes } = await processPhoto(photo, folder, { look, format })
  const { user, system } = process.cpuUsage(before)
  const scorePixels = createScorer(await asSeen(sharp(photo)))
  const scoreOf = async (encoded: Buffer) => scorePixels(await asSeen(await openEncoded(encoded, format)))
  const score = await scoreOf(bytes)
  const made = { look, photo, score, bytes: bytes.length, seconds: (user + system) / 1e6 }
  if (isNear(look, score)) return made
  const tryAt = async (quality: number) => {
    const tried = await processPhoto(photo, folder, { format, quality })
    return { score: await scoreOf(tried.bytes), bytes: tried.bytes.length }
  }
  return { ...made, nearest: await nearestScore(made, format, tryAt) }
}

/** So many steps one after the other that look better than wanted: no finer one will look worse. */
const CLIMBED_PAST = 15

/** Tries each step of the encoder, from its coarsest on. What looks worse and is larger than what was made serves nobody. */
async function nearestScore(
  made: MadeWithLook,
  format: LossyFormat,
  tryAt: (quality: number) => Promise<Outcome>,
): Promise<number> {
  const wanted = lookNumber(made.look)
  const tried = new Set<number>()
  let nearest = made.score
  let better = 0
  for (let quality = 1; quality <= 100 && better < CLIMBED_PAST; quality++) {
    const step = encoderValue(format, quality)
    if (tried.has(step)) continue
    tried.add(step)
    const { score, bytes } = await tryAt(quality)
    const serves = score > made.score || bytes < made.bytes
    if (serves && Math.abs(score - wanted) < Math.abs(nearest - wanted)) nearest = score
    better = score > wanted + POINTS ? better + 1 : 0
  }
  return nearest
}

if (import.meta.main) {
  const [name, folder = '', ...photos] = process.argv.slice(2)
  const format = FORMATS.find((one) => one === name)
  if (format === undefined) throw new Error(`No such format: ${name}`)
  const made: MadeWithLook[] = []
  for (const look of LOOKS) for (const photo of photos) made.push(await make(photo, folder, look, format))
  console.log(JSON.stringify(made))
}
