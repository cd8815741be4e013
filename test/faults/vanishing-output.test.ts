/** The disk for results disappears mid-job. */
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { smallDisk } from '../e2e/support/small-disk.ts'
import { jsonLines } from '../main/cli/command.ts'
import { openUntilEnd, startDraft, stateWhen } from '../main/core/open-core.ts'
import { draftOfFiles } from '../main/outbox/drafts.ts'
import { itInLongSuite } from './long-suite.ts'
import { photoFolders, someResultsIn } from './photo-folders.ts'

const PHOTOS = 24

/** Creates photos, and a share on its own disk. Returns undefined if this user can't mount disks. */
function place() {
  const folders = photoFolders(PHOTOS)
  const share = join(folders.folder, 'share')
  const disk = smallDisk(share, '1g')
  if (disk === undefined) return undefined
  onTestFinished(() => disk.takeAway())
  return { ...folders, ...disk, share }
}

itInLongSuite(
  'results that vanish with their disk are reported as problems, and none is written to its empty mount point',
  async ({ skip }) => {
    const at = place()
    if (at === undefined) return skip()
    const { share, files, startSubmit } = at
    const { ended } = startSubmit(files, share)
    await someResultsIn(share)
    at.takeAway()
    const { code, stdout } = await ended
    const last = jsonLines(stdout).at(-1)
    expect(last).toHaveProperty('problems.length', PHOTOS)
    expect(last).not.toMatchObject({ outcome: { kind: 'done' } })
    expect(code).not.toBe(0)
    expect(await readdir(share)).toEqual([])
  },
)

it('a waiting submission is refused if its output disk has been removed', async ({ skip }) => {
  const at = place()
  if (at === undefined) return skip()
  const core = await openUntilEnd(at.data)
  const output = { kind: 'folder', path: join(at.share, 'out') } as const
  await startDraft(core, draftOfFiles(at.files, { presets: [], output }))
  at.takeAway()
  core.connection.useBuiltIn()
  const { outbox } = await stateWhen(core, (state) =>
    state.outbox.some((one) => one.state.kind === 'refused'),
  )
  expect(outbox).toMatchObject([{ state: { failure: { code: 'diskRemoved' } } }])
  expect(await readdir(at.share)).toEqual([])
})

itInLongSuite(
  'a killed command’s submission is left to the user if its output disk was removed, and sending it is refused',
  async ({ skip }) => {
    const at = place()
    if (at === undefined) return skip()
    await at.killSubmit(at.files, join(at.share, 'out'))
    at.takeAway()
    await at.command('history')
    const [unknown] = (await at.command('outbox')).events
    expect(unknown).toMatchObject({ event: 'entry', state: 'unknown' })
    const id = String(unknown?.['id'])
    expect(await at.command('outbox', 'resolve', id, 'send')).toMatchObject({ code: 0 })
    const { code, events } = await at.command('outbox', 'send')
    expect(events.at(-1)).toMatchObject({
      event: 'refused',
      message: `The disk with the folder ${join(at.share, 'out')} isn’t connected.`,
    })
    expect(code).toBe(4)
    expect(await readdir(at.share)).toEqual([])

    at.putBack()
    expect(await at.command('outbox', 'resolve', id, 'remove')).toMatchObject({ code: 0 })
    expect(await at.command('retry', id)).toMatchObject({ code: 0 })
    expect((await readdir(join(at.share, 'out'))).length).toBeGreaterThan(0)
  },
)
