import { expect, onTestFinished, test } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import { itemsOf } from '../../../src/main/drafts/index.ts'
import { createWorld, type World } from '../../faults/model/world.ts'
import { mediaItem } from '../outbox/drafts.ts'

const MANY = 250
const HOW = { split: false, grace: 0 } as const

/** An app with a draft of many files, each of which becomes a separate submission. */
async function openApp(): Promise<{ world: World; core: Core }> {
  const world = createWorld()
  onTestFinished(() => world.close())
  await world.start()
  const core = world.core()
  if (core === undefined) throw new Error('the app has started')
  core.settings.update({ outboxPaused: true })
  core.drafts.store.add(
    Array.from({ length: MANY }, (_, n) => mediaItem(`/in/${n}.jpg`)),
    [],
  )
  core.drafts.store.change({ grouping: 'separate' })
  return { world, core }
}

const namesIn = (core: Core) => itemsOf(core.drafts.store.view()).map(({ name }) => name)

test('files that arrive while a draft is being started form the next draft', async () => {
  const { core } = await openApp()
  const key = core.drafts.store.key()
  const started = core.drafts.start(HOW)
  core.drafts.store.add(
    [mediaItem('/in/late.jpg')],
    [{ path: '/in/odd.xyz', name: 'odd.xyz', reason: 'unsupported' }],
  )
  expect(await started).toMatchObject({ ok: true })
  expect(namesIn(core)).toEqual(['late.jpg'])
  expect(core.drafts.store.view().rejected).toHaveLength(1)
  expect(core.drafts.store.key()).not.toBe(key)
  core.drafts.store.undo()
  expect(namesIn(core)).toEqual(['late.jpg'])
  expect(await core.drafts.start(HOW)).toMatchObject({ ok: true })
  expect(core.outbox.list()).toHaveLength(MANY + 1)
})

test('a draft that is cleared while it is being started is still started, and not restored', async () => {
  const { core } = await openApp()
  const started = core.drafts.start(HOW)
  core.drafts.store.clear()
  await started
  core.drafts.store.undo()
  expect(namesIn(core)).toEqual([])
  expect(core.outbox.list()).toHaveLength(MANY)
})

test('clicking Start again while a draft is being started does not start it twice', async () => {
  const { core } = await openApp()
  const both = await Promise.all([core.drafts.start(HOW), core.drafts.start(HOW)])
  expect(both[0]).toBe(both[1])
  expect(core.outbox.list()).toHaveLength(MANY)
  core.drafts.store.add([mediaItem('/in/next.jpg')], [])
  expect(await core.drafts.start(HOW)).toMatchObject({ ok: true, ids: [expect.any(String)] })
})

test('a refusal contains the draft that it is about, even if the user has changed it and clicked Start again', async () => {
  const { core } = await openApp()
  core.drafts.store.change({ output: { kind: 'folder', path: 'relative' } })
  const refused = core.drafts.store.view()
  const first = core.drafts.start(HOW)
  core.drafts.store.change({ output: { kind: 'folder', path: '/out' } })
  for (const result of await Promise.all([first, core.drafts.start(HOW)]))
    expect(result).toMatchObject({ ok: false, draft: refused })
})

test('an app that is closed while a draft is being started finishes starting it', async () => {
  const { world, core } = await openApp()
  const started = core.drafts.start(HOW)
  await world.quit()
  expect(await started).toMatchObject({ ok: true })
  await world.start()
  expect(world.core()?.outbox.list()).toHaveLength(MANY)
})
