/** Starred presets: a few presets that lead all lists, the tray menu and the file manager's menus. */
import type { Presets } from '../api/resources.ts'
import type { PresetDocument } from '../model/built-in-service.ts'

export const MAX_STARRED = 5

/** Groups presets in the order of the list in the settings: the user's own presets before the default ones. */
export function inListOrder<Item extends Pick<PresetDocument, 'origin'>>(
  documents: readonly Item[],
): { readonly own: readonly Item[]; readonly defaults: readonly Item[] } {
  return {
    own: documents.filter(({ origin }) => origin === 'own'),
    defaults: documents.filter(({ origin }) => origin !== 'own'),
  }
}

export type StarredPreset = {
  readonly name: string
  readonly forPhotos: boolean
  readonly forVideos: boolean
}

/**
 * Returns the starred presets that the service offers, in the order of the preset list. Lists, the tray and file managers show them
 * in this order.
 * @param presets null if not loaded yet; then returns all starred presets, for both photos and videos
 */
export function starredOf(starred: readonly string[], presets: Presets | null): readonly StarredPreset[] {
  if (presets === null) return starred.map((name) => ({ name, forPhotos: true, forVideos: true }))
  return starred
    .map((name) => ({
      name,
      forPhotos: presets.image.includes(name),
      forVideos: presets.video.includes(name),
    }))
    .filter(({ forPhotos, forVideos }) => forPhotos || forVideos)
}
