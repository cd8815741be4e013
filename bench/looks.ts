/**
 * The same look in every format: forty parts of photos, each made with a look in four formats, decoded and scored as a whole.
 * What the worker has scored by itself is not believed here. A photo that has no such look in a format, because whatever is
 * smaller looks better as well or one step of quality jumps over the look, is counted by itself.
 */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { lookNumber } from '../src/shared/preset/look.ts'
import { median } from './built-in.ts'
import { FORMATS, isNear, LOOKS, MadeWithLook, POINTS } from './looks-in-format.ts'
import { photoCorpus } from './photo-corpus.ts'
import type { BenchRow } from './row.ts'
import { keepTables } from './table-file.ts'

const run = promisify(execFile)

/** What was made with one look in one format. */
type Made = Pick<MadeWithLook, 'look'> & { readonly format: string; readonly photos: readonly MadeWithLook[] }

export async function benchLooks(): Promise<readonly BenchRow[]> {
  const folder = await mkdtemp(join(tmpdir(), 'mediatray-bench-looks-'))
  try {
    const photos = await photoCorpus(join(folder, 'photos'))
    const all = await Promise.all(FORMATS.map((format) => makeIn(format, folder, photos)))
    const groups = LOOKS.flatMap((look) =>
      FORMATS.map((format, index) => ({
        look,
        format,
        photos: (all[index] ?? []).filter((photo) => photo.look === look),
      })),
    )
    await keepTables('looks', [
      { head: HEAD, lines: groups.map(cellsOf) },
      { head: HEAD_OF_MISSED, lines: groups.flatMap(missedIn) },
    ])
    return groups.map(rowOf)
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

async function makeIn(
  format: string,
  folder: string,
  photos: readonly string[],
): Promise<readonly MadeWithLook[]> {
  const program = join(import.meta.dirname, 'looks-in-format.ts')
  const own = join(folder, format)
  await mkdir(own)
  const { stdout } = await run(process.execPath, [program, format, own, ...photos])
  return z.array(MadeWithLook).parse(JSON.parse(stdout))
}

/** Whether the photo has the look in this format at all. */
const isPossible = ({ look, nearest }: MadeWithLook): boolean =>
  nearest === undefined || isNear(look, nearest)

/** Held against all of them; the note says how many could not be met. */
function rowOf({ look, format, photos }: Made): BenchRow {
  const met = photos.filter((photo) => isNear(look, photo.score))
  const impossible = photos.filter((photo) => !isPossible(photo)).length
  return {
    name: `look ${look} as ${format}: photos within ${POINTS} points of ${lookNumber(look)}`,
    measured: met.length,
    unit: `of ${photos.length}`,
    budget: `= ${photos.length}`,
    met: met.length === photos.length,
    note: `median ${median(photos.map(({ score }) => score)).toFixed(1)}; ${impossible} have no such look in this format`,
  }
}

const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0)

const HEAD = [
  'look',
  'format',
  'within 2 points',
  'missed',
  'no such look',
  'least score',
  'median',
  'most',
  'kB',
  's',
]

/** The scores are of those photos that have the look; bytes and the processor's time are of all. */
function cellsOf({ look, format, photos }: Made): readonly string[] {
  const possible = photos.filter(isPossible)
  const scores = possible.map(({ score }) => score)
  const met = scores.filter((score) => isNear(look, score)).length
  return [
    look,
    format,
    ...[met, possible.length - met, photos.length - possible.length].map(String),
    ...[Math.min(...scores), median(scores), Math.max(...scores)].map((score) => score.toFixed(1)),
    (sum(photos.map(({ bytes }) => bytes)) / 1000).toFixed(0),
    sum(photos.map(({ seconds }) => seconds)).toFixed(0),
  ]
}

const HEAD_OF_MISSED = ['look', 'format', 'photo', 'score', 'nearest of all qualities']

const missedIn = ({ look, format, photos }: Made): readonly (readonly string[])[] =>
  photos.flatMap(({ photo, score, nearest }) =>
    nearest === undefined
      ? []
      : [[look, format, basename(photo, '.png'), score.toFixed(1), nearest.toFixed(1)]],
  )
