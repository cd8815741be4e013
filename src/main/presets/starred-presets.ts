/** Stars presets of the built-in service. The settings contain their names, in the order of the preset list. */
import { inListOrder, MAX_STARRED } from '../../shared/preset/starred.ts'
import type { Settings } from '../settings/settings.ts'
import type { PresetOverview } from '../../shared/model/built-in-service.ts'

export function createStarredPresets(
  settings: Pick<Settings, 'view' | 'update'>,
  presets: { readonly list: () => Promise<PresetOverview> },
) {
  const starred = () => settings.view().starredPresets
  const keep = (names: readonly string[]) => void settings.update({ starredPresets: [...names] })

  /**
   * Stars or unstars a preset. Starring does nothing if the preset doesn't exist or `MAX_STARRED` presets are starred already.
   * @returns whether the preset is now starred, and the number of starred presets
   */
  async function set(name: string, isStarred: boolean) {
    const { own, defaults } = inListOrder((await presets.list()).documents)
    const listed = [...own, ...defaults].map((document) => document.name)
    // Names of presets that were deleted outside the app don't count.
    const others = starred().filter((one) => one !== name && listed.includes(one))
    const isAdded = isStarred && listed.includes(name) && others.length < MAX_STARRED
    const wanted = isAdded ? [...others, name] : others
    keep(listed.filter((one) => wanted.includes(one)))
    return { isStarred: isAdded, count: wanted.length }
  }

  return {
    set,
    renamed: (from: string, to: string): void => keep(starred().map((name) => (name === from ? to : name))),
    /** Removes the star of a preset that was removed. @returns a function that stars the preset again if it was starred */
    removed(name: string): () => Promise<void> {
      if (!starred().includes(name)) return () => Promise.resolve()
      keep(starred().filter((one) => one !== name))
      return async () => void (await set(name, true))
    },
  }
}
