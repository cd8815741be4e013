import { basename, join } from 'node:path'
import sharp from 'sharp'
import { expect, it } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import { openUntilEnd, stateWhen, useBuiltIn } from './open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** A preset that doesn't search for a quality, which would take most of the time of the test. */
const FAST = { presets: ['Remove location'] }

async function submit(
  core: Core,
  folder: string,
  name: string,
  choices: { readonly presets?: string[]; readonly variations?: number } = FAST,
): Promise<RecordId> {
  const path = join(folder, name)
  await sharp({ create: { width: 640, height: 480, channels: 3, background: '#345' } })
    .jpeg()
    .toFile(path)
  core.drafts.store.add([{ path, name: basename(path), kind: 'image', size: 1 }], [])
  core.drafts.store.change({ done: 'again', ...choices })
  const started = await core.drafts.start({ split: false, grace: 0 })
  const [id] = started.ok ? started.ids : []
  if (id === undefined) throw new Error('The draft was not started.')
  return id
}

it('lets one job wait at the built-in service, so that the others can be moved', async () => {
  const folder = temporaryFolder()
  const core = await openUntilEnd(folder)
  await useBuiltIn(core)
  const running = await submit(core, folder, 'running.jpg', { variations: 900 })
  await stateWhen(core, ({ jobs }) => jobs.some(({ stage }) => stage.kind === 'processing'))
  for (const name of ['a.jpg', 'b.jpg', 'c.jpg', 'd.jpg']) await submit(core, folder, name)
  const state = await stateWhen(core, ({ queue }) => queue?.waiting === 1)
  expect(state.jobs.map(({ name }) => name)).toEqual(['running.jpg', 'a.jpg'])
  expect(state.outbox.map(({ name }) => name)).toEqual(['b.jpg', 'c.jpg', 'd.jpg'])
  expect(state.outbox.map((entry) => entry.state)).toEqual(
    Array.from({ length: 3 }, () => ({ kind: 'waiting', because: 'turn', notBefore: null })),
  )

  // One poll may report the end of several jobs.
  const ended: string[] = []
  core.events.on('partFinished', ({ name }) => ended.push(name))
  core.outbox.runNext(state.outbox[2]?.id ?? running)
  await core.cancelParts(running, 'job')
  await expect.poll(() => ended).toEqual(['running.jpg', 'a.jpg', 'd.jpg', 'b.jpg', 'c.jpg'])
})
