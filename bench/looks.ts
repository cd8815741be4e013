/**
 * The same look in every format: forty parts of photos, each made with a look in four formats, decoded and scored as a whole.
 * What the worker has scored by itself is not believed here.
 */
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import sharp from 'sharp'
import { asSeen, openEncoded } from '../src/media/image/as-seen.ts'
import { createScorer } from '../src/media/image/ssimulacra2.ts'
import { lookNumber, type NamedLook } from '../src/shared/preset/look.ts'
import { median } from './built-in.ts'
import { photoCorpus } from './photo-corpus.ts'
import { processPhoto } from './process-photo.ts'
import type { BenchRow } from './row.ts'
import { keepTable } from './table-file.ts'

const FORMATS = ['jpeg', 'webp', 'avif', 'jxl'] as const
type Format = (typeof FORMATS)[number]
const LOOKS: readonly NamedLook[] = ['high', 'medium']
const POINTS = 2

type Made = { readonly score: number; readonly bytes: number; readonly ms: number }

export async function benchLooks(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-looks-'))
  try {
    const photos = await photoCorpus(join(folder, 'photos'))
    const rows: BenchRow[] = []
    const lines: (readonly string[])[] = []
    for (const look of LOOKS)
      for (const format of FORMATS) {
        const made: Made[] = []
        for (const photo of photos) made.push(await make(photo, folder, { look, format }))
        rows.push(rowOf(`${look} as ${format}`, lookNumber(look), made))
        lines.push([look, format, ...cellsOf(made)])
      }
    const head = ['look', 'format', 'score: least', 'median', 'most', 'kB together', 's together']
    await keepTable('looks', head, lines)
    return rows
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function make(
  photo: string,
  folder: string,
  recipe: { readonly look: NamedLook; readonly format: Format },
): Promise<Made> {
  const { bytes, ms } = await processPhoto(photo, folder, recipe)
  const score = createScorer(await asSeen(sharp(photo)))
  return { score: score(await asSeen(await openEncoded(bytes, recipe.format))), bytes: bytes.length, ms }
}

function rowOf(name: string, wanted: number, made: readonly Made[]): BenchRow {
  const near = made.filter(({ score }) => Math.abs(score - wanted) <= POINTS)
  return {
    name: `look ${name}: photos within ${POINTS} points of ${wanted}`,
    measured: near.length,
    unit: `of ${made.length}`,
    budget: `= ${made.length}`,
    met: near.length === made.length,
    note: `median ${median(made.map(({ score }) => score)).toFixed(1)}`,
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const cellsOf = (made: readonly Made[]): readonly string[] => {
  const scores = made.map(({ score }) => score)
  return [
    ...[Math.min(...scores), median(scores), Math.max(...scores)].map((score) => score.toFixed(1)),
    (sum(made.map(({ bytes }) => bytes)) / 1000).toFixed(0),
    (sum(made.map(({ ms }) => ms)) / 1000).toFixed(1),
  ]
}
