import { copyFileSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Draft } from '../../../src/shared/model/draft.ts'
import { draftOfFiles } from '../outbox/drafts.ts'
import { openTestCore, samples } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { itInLongSuite } from '../../faults/long-suite.ts'

async function twoFolders(): Promise<{ readonly folder: string; readonly draft: Draft }> {
  const folder = temporaryFolder()
  const paths = ['1', '2'].map((name) => {
    mkdirSync(join(folder, 'in', name), { recursive: true })
    const path = join(folder, 'in', name, 'dawn.jpg')
    copyFileSync(join(samples, 'dawn-upright.jpg'), path)
    return path
  })
  const draft = draftOfFiles(paths, {
    presets: ['Web 2048', 'Thumbnail 320'],
    output: { kind: 'beside', subfolder: 'web' },
    done: 'again',
  })
  return { folder, draft }
}

it('a preset’s waiting parts can be canceled alone, restored after a removal, and the rest canceled as a whole', async () => {
  const { folder, draft } = await twoFolders()
  const core = await openTestCore(folder)
  const started = await core.drafts.startDraft({ ...draft, presets: ['A', 'B'] }, { split: false, grace: 0 })
  const [a1, , b1] = started.ok ? started.ids : []
  if (a1 === undefined || b1 === undefined) throw new Error('nothing was started')
  const left = () => core.outbox.partsOf(a1).map((id) => core.outbox.get(id)?.title.preset)
  const withdrawn: unknown[] = []
  core.events.on('partWithdrawn', ({ preset, outcome }) => withdrawn.push([preset, outcome?.kind]))
  await core.cancelParts(b1, 'preset')
  expect(withdrawn).toEqual([
    ['B', 'cancelled'],
    ['B', 'cancelled'],
  ])
  expect(left()).toEqual(['A', 'A'])
  core.outbox.remove(a1)
  core.restoreParts(a1)
  expect(left()).toEqual(['A', 'A'])
  expect(core.history.page({}, { offset: 0, limit: 10 }).total).toBe(0)
  await core.cancelParts(a1, 'job')
  expect(core.history.page({}, { offset: 0, limit: 10 }).records).toMatchObject([
    { id: a1, outcome: { kind: 'cancelled', results: 0 } },
  ])
  await core.close()
})

itInLongSuite(
  'a large draft that is canceled at once leaves no open records, and one slice is withdrawn per event-loop tick',
  async () => {
    const core = await openTestCore(temporaryFolder())
    const draft = draftOfFiles(
      Array.from({ length: 300 }, (_, n) => `/in/${n}.jpg`),
      { presets: ['A'], output: { kind: 'folder', path: '/out' }, grouping: 'separate', done: 'again' },
    )
    const started = await core.drafts.startDraft(draft, { split: false, grace: 0 })
    const ids = started.ok ? started.ids : []
    let changes = 0
    const stop = core.outbox.onChange(() => (changes += 1))
    expect(await core.withdrawWaiting(ids)).toHaveLength(300)
    stop()
    expect(changes).toBeLessThan(50)
    expect(ids.map((id) => core.history.summary(id)?.outcome?.kind)).toEqual(ids.map(() => 'cancelled'))
    await core.close()
  },
)

it('the end of a job names the failed files of all parts, and of a part that failed as a whole each file', async () => {
  const { folder, draft } = await twoFolders()
  const core = await openTestCore(folder)
  const started = await core.drafts.startDraft({ ...draft, presets: ['A'] }, { split: false, grace: 0 })
  const [first, second] = started.ok ? started.ids : []
  if (first === undefined || second === undefined) throw new Error('nothing was started')
  const ends: unknown[] = []
  core.events.on('jobFinished', ({ problems }) => ends.push(problems))
  core.outbox.remove(second, 'part')
  core.history.recordOutcome(second, { kind: 'failed', reason: 'no memory' }, 1)
  await core.cancelParts(first, 'part')
  expect(ends).toEqual([[{ file: join(folder, 'in', '2', 'dawn.jpg'), error: 'no memory' }]])
  await core.close()
})
