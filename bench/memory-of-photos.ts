/**
 * Compares the memory that photos of every kind need with what the built-in service predicts:
 * node memory-of-photos.ts MEGAPIXELS [RECIPE-JSON [KIND …]]
 */
import { execFile } from 'node:child_process'
import { stat } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { withMedia } from '../src/node/media-header/open-media.ts'
import { predictMemory } from '../src/service/processing/predict-memory.ts'
import { readFacts } from '../src/service/processing/processing.ts'
import { ImageRecipe } from '../src/shared/preset/preset.ts'
import { KINDS } from './memory-samples.ts'
import { temporaryFolder } from './temporary-folder.ts'

const MIB = 2 ** 20
const run = promisify(execFile)
const USUAL = '{"format":"jpeg","size":{"width":2048,"height":2048}}'

const [megapixels = '12', text = USUAL, ...chosen] = process.argv.slice(2)
const image = ImageRecipe.parse(JSON.parse(text))
/** Multiples of the frames of animations and of the blocks of encoders. */
const side = (ratio: number) => Math.round((Math.sqrt((Number(megapixels) * 1e6) / 12) * ratio) / 48) * 48
await using folder = await temporaryFolder()

for (const [kind, { extension, make }] of Object.entries(KINDS)) {
  if (chosen.length > 0 && !chosen.includes(kind)) continue
  const file = join(folder.path, `${kind.replaceAll(/\W/g, '-')}.${extension}`)
  await make(side(4), side(3), file)
  const { size: bytes } = await stat(file)
  const facts = await withMedia(file, (media) => readFacts(media, bytes))
  const predicted = predictMemory(facts, { kind: 'image', image }, 1) / MIB
  const { stdout } = await run(process.execPath, [
    join(import.meta.dirname, 'peak-memory.ts'),
    file,
    text,
    '--rated',
  ])
  const measured = Number.parseInt(stdout, 10)
  console.log(
    `${kind}: ${measured} MiB, predicted ${Math.round(predicted)}: ${(predicted / measured).toFixed(2)}`,
  )
}
