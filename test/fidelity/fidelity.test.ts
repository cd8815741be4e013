/**
 * Converts files that have everything that their format can have, to every format and with every shipped preset, and checks with
 * third-party tools what became of each property. It must be kept, lost and listed, asked for by the preset, or refused. `npm test`
 * converts one photo and one video. `npm run test:fidelity` converts all and writes the table to `docs/fidelity.md`.
 */
import { mkdir, mkdtemp, rename, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { processImage } from '../../src/media/image/process-image.ts'
import type { FileJob } from '../../src/media/protocol.ts'
import { processVideo } from '../../src/media/video/process-video.ts'
import { FailureError } from '../../src/shared/failure/failure-error.ts'
import { firstOf, isLongSuite } from '../faults/long-suite.ts'
import { fidelityPage, type Cell } from './fidelity-page.ts'
import { judge, type Facts, type Outcome, type Property } from './judge.ts'
import { PHOTO_PROPERTIES, photoFacts } from './photo-facts.ts'
import { PHOTO_SAMPLES, type Sample } from './photo-samples.ts'
import { PHOTO_TARGETS, type Target, VIDEO_TARGETS } from './targets.ts'
import { installTools } from './tools.ts'
import { VIDEO_PROPERTIES, videoFacts } from './video-facts.ts'
import { VIDEO_SAMPLES } from './video-samples.ts'

type Kind<Recipe> = {
  readonly samples: readonly Sample[]
  readonly targets: readonly Target<Recipe>[]
  readonly properties: readonly Property<Recipe>[]
  readonly facts: (path: string, folder: string) => Promise<Facts>
  readonly process: (
    job: FileJob<Recipe>,
  ) => Promise<Exclude<Outcome, Error> & { readonly temporaryPath: string }>
}

const cells: Cell[] = []
let planned = 0
let done = 0
let root = ''

beforeAll(async () => {
  installTools()
  root = await mkdtemp(join(tmpdir(), 'mediatray-fidelity-'))
})
afterAll(async () => {
  await rm(root, { recursive: true, force: true })
  // A run of some tests knows only some cells.
  if (isLongSuite && done === planned) await writeFile('docs/fidelity.md', fidelityPage(cells))
})

describe('a photo', () =>
  checkAll({
    samples: PHOTO_SAMPLES,
    targets: PHOTO_TARGETS,
    properties: PHOTO_PROPERTIES,
    facts: photoFacts,
    process: processImage,
  }))

describe('a video', () =>
  checkAll({
    samples: VIDEO_SAMPLES,
    targets: VIDEO_TARGETS,
    properties: VIDEO_PROPERTIES,
    facts: videoFacts,
    process: (job) => processVideo(job, []),
  }))

function checkAll<Recipe>(kind: Kind<Recipe>): void {
  const pairs = kind.samples.flatMap((sample) => kind.targets.map((target) => ({ sample, target })))
  const chosen = firstOf(pairs)
  planned += chosen.length
  it.each(chosen.map(({ sample, target }) => [sample.file, target.name, { sample, target }] as const))(
    'keeps or names everything: %s to %s',
    async (_file, _target, { sample, target }) => {
      const original = await originalOf(kind, sample)
      const { outcome, facts } = await converted(kind, target, original.path)
      const isSame = (name: string) => original.facts.get(name) === facts.get(name)
      const faults = kind.properties.flatMap((property) => {
        const was = original.facts.get(property.name)
        if (was === undefined) return []
        const effect = judge(property, target.recipe, was, facts.get(property.name), outcome, isSame)
        if (typeof effect === 'object') return [effect.fault]
        cells.push({ file: sample.file, target: target.name, property: property.name, effect })
        return []
      })
      expect(faults).toEqual([])
      done += 1
    },
  )
}

type Original = { readonly path: string; readonly facts: Facts }
const originals = new Map<string, Promise<Original>>()

/** Makes each original once. */
function originalOf<Recipe>(kind: Kind<Recipe>, sample: Sample): Promise<Original> {
  const made = originals.get(sample.file) ?? makeOriginal(kind, sample)
  originals.set(sample.file, made)
  return made
}

async function makeOriginal<Recipe>({ facts }: Kind<Recipe>, { file, make }: Sample): Promise<Original> {
  const folder = await mkdtemp(join(root, 'original-'))
  const path = join(folder, file)
  await make(folder, path)
  return { path, facts: await facts(path, folder) }
}

async function converted<Recipe>(
  { facts, process }: Kind<Recipe>,
  { recipe }: Target<Recipe>,
  inputPath: string,
): Promise<{ readonly outcome: Outcome; readonly facts: Facts }> {
  const folder = await mkdtemp(join(root, 'result-'))
  await mkdir(join(folder, 'facts'))
  let written = 0
  try {
    const finished = await process({
      inputPath,
      recipe,
      variation: undefined,
      neverLarger: false,
      temporaryPath: (extension) => join(folder, `${++written}.${extension}`),
      onProgress: () => undefined,
      signal: new AbortController().signal,
    })
    const result = join(folder, `result${extname(finished.temporaryPath)}`)
    await rename(finished.temporaryPath, result)
    return { outcome: finished, facts: await facts(result, join(folder, 'facts')) }
  } catch (error) {
    if (!(error instanceof FailureError)) throw error
    return { outcome: error, facts: new Map() }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
