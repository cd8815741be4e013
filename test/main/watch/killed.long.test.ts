import { readdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import type { FolderRule, FolderRules } from '../../../src/shared/model/folder-rules.ts'
import { startDoomed } from '../../doomed.ts'
import { isLongSuite } from '../../faults/long-suite.ts'
import { namesOf, openOutboxIn, plansIn } from '../outbox/drafts.ts'
import { folderIn, newRoot, sleep } from './watched.ts'

const FILES = 40

function run(root: string, dieAt: number, wanted: number) {
  const script = join(import.meta.dirname, 'doomed-watcher.ts')
  const { printed, ended, kill } = startDoomed(script, root, dieAt, wanted)
  return {
    watching: printed('watching'),
    /** Resolves on the first submission, or when the process has ended. */
    submitted: printed('submitted'),
    ended: ended.then(({ killed, lines }) => (killed ? 'killed' : lines.at(-1))),
    kill,
  }
}

function submittedIn(root: string, preset?: string): string[] {
  const outbox = openOutboxIn(root)
  try {
    return plansIn(outbox)
      .filter((plan) => preset === undefined || plan.preset === preset)
      .flatMap(namesOf)
      .toSorted()
  } finally {
    outbox.close()
  }
}

async function prepare(grouping: 'together' | 'separate', rules?: FolderRules): Promise<string> {
  const root = await newRoot()
  createSettings(openSettingsFile(join(root, 'settings.json'))).update({
    watchFolders: [folderIn(root, { grouping, windowMs: grouping === 'together' ? 40 : 0 })],
    ...(rules === undefined ? {} : { folderRules: { w: rules } }),
  })
  return root
}

/** Writes half of the files after the first submission, so that there are several submissions to interrupt. */
async function bring(root: string, to: { readonly submitted: Promise<unknown> }): Promise<void> {
  for (let n = 0; n < FILES; n += 1) {
    await writeFile(join(root, 'in', `${n}.jpg`), `content of ${n}`)
    if (n === FILES / 2) await to.submitted
  }
}

/** Watches until a process is killed at a step, and then until a second one has processed every file. */
async function killAndContinue(root: string, dieAt: number): Promise<void> {
  const victim = run(root, dieAt, FILES)
  await victim.watching
  await bring(root, victim)
  expect(await victim.ended).toBe('killed')
  expect(await run(root, 0, FILES).ended).toBe('still')
}

it.each(isLongSuite ? [1, 2, 3, 4, 6] : [2, 3])(
  'killed at step %i of submitting, every file is processed exactly once',
  async (dieAt) => {
    const root = await prepare(dieAt % 2 === 0 ? 'together' : 'separate')
    await killAndContinue(root, dieAt)
    expect(submittedIn(root)).toEqual((await readdir(join(root, 'in'))).toSorted())
  },
)

it.each(isLongSuite ? [2, 5] : [2])(
  'killed at step %i, every file is processed exactly once, by the rule it matches',
  async (dieAt) => {
    const evenNumbers: FolderRule = {
      id: 'even',
      when: [{ about: 'name', matches: true, pattern: '*[02468].jpg' }],
      action: { do: 'process', presets: ['Even'], output: { kind: 'beside', subfolder: 'even' } },
    }
    const root = await prepare('together', { rules: [evenNumbers], rest: 'process' })
    await killAndContinue(root, dieAt)
    const names = await readdir(join(root, 'in'))
    expect(submittedIn(root)).toEqual(names.toSorted())
    expect(submittedIn(root, 'Even')).toEqual(names.filter((name) => /[02468]\.jpg$/.test(name)).toSorted())
  },
)

it('if the app is killed repeatedly at any time, every file is still processed exactly once', async () => {
  const root = await prepare('separate')
  const first = run(root, 0, FILES * 2)
  await first.watching
  await bring(root, first)
  first.kill()
  await first.ended
  for (let n = 0; n < 3; n += 1) {
    const next = run(root, 0, FILES * 2)
    await next.watching
    await writeFile(join(root, 'in', `late-${n}.jpg`), `late ${n}`)
    await sleep(n * 60)
    next.kill()
    await next.ended
  }
  expect(await run(root, 0, FILES + 3).ended).toBe('still')
  expect(submittedIn(root)).toEqual((await readdir(join(root, 'in'))).toSorted())
})
