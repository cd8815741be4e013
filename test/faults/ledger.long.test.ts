/** A ledger whose process is killed before each write: it never claims a result that doesn't exist, and the next process completes it. */
import { appendFileSync, copyFileSync, existsSync, mkdirSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { openHistory, type History } from '../../src/main/history/index.ts'
import { externalPresetKey, printFile } from '../../src/main/ledger/index.ts'
import { findDone } from '../../src/main/ledger/find-done.ts'
import { asRecordId } from '../../src/shared/model/ids.ts'
import { acceptance, mediaItem, submissionOf } from '../main/history/sample-records.ts'
import { samples } from '../main/core/open-core.ts'
import { runDoomed } from '../doomed.ts'
import { temporaryFolder } from '../temporary-folder.ts'

const PHOTO = join(samples, 'dawn-upright.jpg')
const LONG_AGO = new Date('2024-05-01T10:00:00Z')
const ENDED_AT = LONG_AGO.getTime() + 60_000
const PRESET = 'Web 2048'
const log = () => undefined

const openHere = (file: string) => openHistory({ file, clock: Date.now, log })

/** Creates a photo with a distinct content. */
function photoAt(path: string, mark: string): string {
  copyFileSync(PHOTO, path)
  appendFileSync(path, mark)
  utimesSync(path, LONG_AGO, LONG_AGO)
  return path
}

/** A job whose process ended before its results were measured. The last photo has no result. */
async function finishedJob(root: string, job: string) {
  const [input, output] = [join(root, `${job}-in`), join(root, `${job}-out`)]
  for (const folder of [input, output]) mkdirSync(folder)
  const photos = ['one.jpg', 'three.jpg', 'failed.jpg'].map((name) => photoAt(join(input, name), job + name))
  const results = photos.slice(0, 2).map((_, index) => photoAt(join(output, `${index}.jpg`), `${index}`))
  const inputs = await Promise.all(
    photos.map(async (path) => {
      const { print } = (await printFile(path, Date.now)) ?? {}
      return { ...mediaItem(path), size: statSync(path).size, ...(print === undefined ? {} : { print }) }
    }),
  )
  return { id: asRecordId(job), output, photos, results, inputs }
}
type Finished = Awaited<ReturnType<typeof finishedJob>>

function record(history: History, { id, output, photos, results, inputs }: Finished): void {
  const to = { kind: 'folder', path: output } as const
  void history.recordAcceptedSubmission(
    submissionOf(id, photos, { preset: PRESET, output: to }, { items: inputs }),
    { ...acceptance, jobId: `job-${id}` },
  )
  const ofInputs = results.map((outputPath, index) => ({ file: photos[index] ?? '', outputPath, index: 0 }))
  history.recordResults(id, ofInputs, [])
  history.recordOutcome(id, { kind: 'done', results: results.length, uploaded: null }, ENDED_AT)
}

/** @returns the number of writes; undefined if the process was killed */
async function measureUntil(file: string, dieAt: number): Promise<number | undefined> {
  const { killed, said } = await runDoomed(join(import.meta.dirname, 'doomed-ledger.ts'), file, dieAt)
  return killed ? undefined : Number(said)
}

/** Returns the photos that a new job would skip. */
async function doneIn(history: History, photos: readonly string[]): Promise<readonly string[]> {
  const question = {
    items: photos.map(mediaItem),
    presets: { image: [PRESET], video: [] },
    keys: (preset: string | null) => externalPresetKey(acceptance.baseUrl, preset),
    variations: 1,
  }
  const found = await findDone({ history, clock: Date.now }, question)
  return found.filter(({ isDone }) => isDone).map(({ path }) => path)
}

it('killed before any write, the ledger names only results that exist, and the next process completes it', async () => {
  let survived = false
  for (let dieAt = 1; !survived; dieAt++) {
    const root = temporaryFolder()
    const file = join(root, 'history.db')
    const jobs = [await finishedJob(root, 'a'), await finishedJob(root, 'b')]
    const before = openHere(file)
    for (const job of jobs) record(before, job)
    before.close()
    const photos = jobs.flatMap((job) => job.photos)
    const withResults = photos.filter((path) => !path.endsWith('failed.jpg'))

    survived = (await measureUntil(file, dieAt)) !== undefined
    const after = openHere(file)
    const rows = photos.flatMap((path) => after.ledger.at(path))
    expect(rows.flatMap(({ results }) => results).every(({ path }) => existsSync(path))).toBe(true)
    // The entries of a job are written together with its measurement.
    const open = after.unmeasured()
    const measured = jobs.filter(({ id }) => !open.includes(id))
    const expected = measured.flatMap((job) => job.photos.slice(0, 2))
    expect(rows.map(({ path }) => path)).toEqual(expected)
    expect(await doneIn(after, photos)).toEqual(expected)
    expect(after.totals().files).toBe(expected.length)
    after.close()

    // The user deletes a result before the next launch.
    const [lost = ''] = jobs.at(-1)?.results ?? []
    rmSync(lost)
    expect(await measureUntil(file, 0)).toBeGreaterThanOrEqual(0)
    const complete = openHere(file)
    const lostPhoto = jobs.at(-1)?.photos[0]
    expect(await doneIn(complete, photos)).toEqual(withResults.filter((path) => path !== lostPhoto))
    expect([complete.unmeasured(), complete.ledger.nextPending(0)]).toEqual([[], undefined])
    expect(complete.totals().files).toBe(measured.length === 2 ? 4 : 3)
    complete.close()
    if (survived) expect(dieAt).toBeGreaterThan(20)
  }
})
