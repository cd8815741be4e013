import { expect, it } from 'vitest'
import { createStarredPresets } from '../../../src/main/presets/starred-presets.ts'
import { createSettings } from '../../../src/main/settings/settings.ts'
import { presetOverview } from '../../renderer/harness/preset-fixtures.ts'

/** Settings in memory, and the presets of the fixtures. */
function setUp(starredPresets: readonly string[] = [], documents = presetOverview.documents) {
  const values = new Map<string, unknown>([['settings', { starredPresets }]])
  const settings = createSettings({
    get: (key) => values.get(key),
    set: (key, value) => void values.set(key, value),
    damage: null,
    keptAs: null,
  })
  const list = () => Promise.resolve({ ...presetOverview, documents })
  return { stars: createStarredPresets(settings, { list }), starred: () => settings.view().starredPresets }
}

it('keeps stars in the order of the list, with the user’s own presets first', async () => {
  const { stars, starred } = setUp()
  for (const name of ['Web 2048', 'Mail', 'Clean metadata', 'Chat']) await stars.set(name, true)
  expect(starred()).toEqual(['Chat', 'Mail', 'Clean metadata', 'Web 2048'])
  expect(await stars.set('Mail', false)).toEqual({ isStarred: false, count: 3 })
  expect(starred()).toEqual(['Chat', 'Clean metadata', 'Web 2048'])
})

it('doesn’t star a sixth preset, or one that doesn’t exist', async () => {
  const { stars, starred } = setUp(['Chat', 'Mail', 'H.264 1080p', 'Web 2048', 'Web ready'])
  const before = starred()
  expect(await stars.set('Family archive', true)).toEqual({ isStarred: false, count: 5 })
  expect(await stars.set('Chat', true)).toEqual({ isStarred: true, count: 5 })
  expect(starred()).toEqual(before)
  await stars.set('Chat', false)
  expect(await stars.set('Nowhere', true)).toEqual({ isStarred: false, count: 4 })
})

it('doesn’t count presets that were deleted outside the app', async () => {
  const { stars, starred } = setUp(['Gone', 'Lost', 'Chat', 'Mail', 'Web 2048'])
  expect(await stars.set('Web ready', true)).toEqual({ isStarred: true, count: 4 })
  expect(starred()).toEqual(['Chat', 'Mail', 'Web 2048', 'Web ready'])
})

it('follows a renamed preset, and stars a deleted one again when the deletion is undone', async () => {
  const { stars, starred } = setUp(['Chat', 'Web 2048'])
  stars.renamed('Web 2048', 'Web')
  expect(starred()).toEqual(['Chat', 'Web'])
  const undo = stars.removed('Chat')
  expect(starred()).toEqual(['Web'])
  await undo()
  // The fixture's list has no preset named Web.
  expect(starred()).toEqual(['Chat'])
  await stars.removed('Mail')()
  expect(starred()).toEqual(['Chat'])
})
