/** What the name of a preset stands for at a service: one of the presets that it lists, or a task of the built-in service. */
import type { ConnectionView } from '../model/connection.ts'
import { taskOf } from './task-names.ts'

/** What a service offers. `presets` is null until its presets are known. Until then, only tasks are known. */
export type PresetOffer = Pick<ConnectionView, 'kind' | 'presets'>

/** The files that a preset processes, and whether it is a task. */
export type KnownPreset = { readonly image: boolean; readonly video: boolean; readonly isTask: boolean }

/** Finds a preset by its name; undefined if the service doesn't have it. */
export function knownPreset({ kind, presets }: PresetOffer, name: string): KnownPreset | undefined {
  const [image, video] = [presets?.image.includes(name) === true, presets?.video.includes(name) === true]
  // A saved preset with the name of a task replaces it, and may process only some of the files.
  if (image || video) return { image, video, isTask: false }
  const isTask = kind !== 'external' && taskOf(name) !== undefined
  return isTask ? { image: true, video: true, isTask } : undefined
}

/** Returns the names that aren't presets of the service; an empty list while its presets aren't known. */
export const missingPresets = (offer: PresetOffer, names: readonly string[]): readonly string[] =>
  offer.presets === null ? [] : [...new Set(names)].filter((name) => knownPreset(offer, name) === undefined)
