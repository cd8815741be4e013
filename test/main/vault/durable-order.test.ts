/** The order of the journal's notes, the moves and the syncs, which decides what a power cut can leave. */
import { rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { withFault } from '../../faults/vault/failing-steps.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'
import { createWorld, ORIGINAL } from './vault-fixture.ts'

/** Prepares a job for one photo. */
async function prepareJob(folder = 'photos') {
  const world = createWorld()
  const path = join(world.home, folder, 'a.heic')
  const { output, results, replaceAll } = await world.prepare(path)
  const short = (argument: unknown): string =>
    String(argument).replace(dirname(output), 'job').replace(world.home, '').replace(/^\//, '')

  return {
    vault: world.vault(),
    output,
    path,
    result: results.get(path) ?? '',
    replace: replaceAll,
    /** Returns the notes, moves, deletions and syncs of some work, in their order. */
    stepsOf: async (
      work: () => Promise<unknown>,
      before: (step: string) => void = () => undefined,
    ): Promise<readonly string[]> => {
      const steps: string[] = []
      await withFault(undefined, work, ({ name, args }) => {
        const isMove = name === 'rename' || name === 'link'
        const step = isMove ? `${name} ${short(args[0])} ${short(args[1])}` : `${name} ${short(args[0])}`
        before(step)
        if (isMove || name === 'sync') steps.push(step)
        else if (name === 'run' && String(args[0]).includes('SET kind')) steps.push('journal')
      })
      return steps
    },
  }
}

it('replacing syncs the result before it gets its place, and every folder after each move', async () => {
  const { replace, stepsOf } = await prepareJob()
  expect(await stepsOf(replace)).toEqual([
    'sync job/records/a.heic.json',
    'journal',
    // The job's first file: its folder doesn't exist yet.
    'sync job',
    'rename photos/a.heic job/originals/a.heic',
    'sync job/originals',
    'sync photos',
    'sync job/results/a.jpg',
    'link job/results/a.jpg photos/a.jpg',
    'sync photos',
    'sync job/results',
    'journal',
  ])
})

it('undo syncs the original before it gets its place again, and every folder after each move', async () => {
  const { vault, output, replace, stepsOf } = await prepareJob()
  await replace()
  expect(await stepsOf(() => vault.undo(output))).toEqual([
    'journal',
    'sync job',
    'rename photos/a.jpg job/replaced/1 a.jpg',
    'sync job/replaced',
    'sync photos',
    'sync job/originals/a.heic',
    'link job/originals/a.heic photos/a.heic',
    'sync photos',
    'sync job/originals',
    'journal',
  ])
})

itInLongSuite('undo syncs each folder that it creates again, because the user has deleted it', async () => {
  const { vault, output, path, replace, stepsOf } = await prepareJob('photos/2026/May')
  await replace()
  rmSync(dirname(dirname(path)), { recursive: true })
  const steps = await stepsOf(() => vault.undo(output))
  const hidden = /\.mediatray-[0-9a-f]{16}/
  expect(steps.slice(0, steps.indexOf('journal')).map((step) => step.replace(hidden, 'HIDDEN'))).toEqual([
    'sync photos',
    'sync photos/HIDDEN',
    'rename photos/HIDDEN photos/2026',
    'sync photos',
  ])
})

itInLongSuite('redo syncs like the first time', async () => {
  const { vault, output, replace, stepsOf } = await prepareJob()
  await replace()
  await vault.undo(output)
  expect(await stepsOf(() => vault.redo(output))).toEqual([
    'sync job/records/a.heic.json',
    'journal',
    'rename photos/a.heic job/originals/a.heic',
    'sync job/originals',
    'sync photos',
    'sync job/replaced/1 a.jpg',
    'link job/replaced/1 a.jpg photos/a.jpg',
    'sync photos',
    'sync job/replaced',
    'journal',
  ])
})

/** A result appears next to an original that keeps its place. */
const NEXT_TO_ORIGINAL = [
  'sync job/results/a.jpg',
  'link job/results/a.jpg photos/a.jpg',
  'sync photos',
  'sync job/results',
  'journal',
]

/** The original has been moved to the vault, and must not stay there. */
const GOES_BACK = [
  'sync job/records/a.heic.json',
  'journal',
  'sync job',
  'rename photos/a.heic job/originals/a.heic',
  'sync job/originals',
  'sync photos',
  'link job/originals/a.heic photos/a.heic',
  'sync photos',
  'sync job/originals',
]

itInLongSuite('a result that stays next to its original is synced, and so are the folders', async () => {
  const { path, replace, stepsOf } = await prepareJob()
  writeFileSync(path, ORIGINAL.toUpperCase())
  expect(await stepsOf(replace)).toEqual(['journal', ...NEXT_TO_ORIGINAL])
})

itInLongSuite(
  'an original that was edited just before its move goes back, and the folders are synced before its result gets a place',
  async () => {
    const { path, replace, stepsOf } = await prepareJob()
    const edit = (step: string): void => {
      if (step === 'sync job') writeFileSync(path, ORIGINAL.toUpperCase())
    }
    expect(await stepsOf(replace, edit)).toEqual([...GOES_BACK, 'journal', ...NEXT_TO_ORIGINAL])
  },
)

itInLongSuite(
  'an original whose result is lost goes back, and the folders are synced before the journal continues',
  async () => {
    const { result, replace, stepsOf } = await prepareJob()
    const remove = (step: string): void => {
      if (step === 'sync photos') rmSync(result, { force: true })
    }
    expect(await stepsOf(replace, remove)).toEqual([...GOES_BACK, 'journal'])
  },
)
