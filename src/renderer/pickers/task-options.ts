/** The tasks and the kinds of presets that can be chosen, with their icons. */
import type { Presets } from '../../shared/api/resources.ts'
import type { ViewTranslation, WindowTranslation } from '../../shared/i18n/i18n.ts'
import { taskName } from '../../shared/i18n/sentences.ts'
import { knownPreset } from '../../shared/preset/known-preset.ts'
import {
  changedTaskOf,
  TASK_NAMES,
  taskOf,
  underSize,
  type TaskName,
} from '../../shared/preset/task-names.ts'
import type { Contents } from '../store/draft-contents.ts'
import type { IconName } from '../ui/icon.tsx'

export type Kind = 'image' | 'video' | 'both'

/** Returns what a preset processes; null if there is no preset with this name. */
export const kindOf = ({ image, video }: Presets, name: string): Kind | null => {
  const [forPhotos, forVideos] = [image.includes(name), video.includes(name)]
  if (forPhotos && forVideos) return 'both'
  return forPhotos ? 'image' : forVideos ? 'video' : null
}

/**
 * Returns why a preset can't be chosen; undefined if it can. Handling only some of the files isn't a reason: another preset can handle the
 * rest.
 */
export function reasonAgainst(
  kind: Kind | null,
  { photos, videos }: Contents,
  t: ViewTranslation,
): string | undefined {
  if (photos + videos === 0) return undefined
  if (kind === 'image' && photos === 0) return t.newJob.needsPhotos
  if (kind === 'video' && videos === 0) return t.newJob.needsVideos
  return undefined
}

const KIND_ICONS: Readonly<Record<Kind, IconName>> = { image: 'photo', video: 'video', both: 'both' }

/** Returns the icon of a preset's kind or of a task; a placeholder for an unknown name. */
export function presetIcon(presets: Presets | null, name: string): IconName {
  const kind = presets && kindOf(presets, name)
  const task = taskOf(changedTaskOf(name) ?? name)
  return kind === null ? (task === undefined ? 'ask' : taskIcon(task.name)) : KIND_ICONS[kind]
}

const TASK_ICONS: Readonly<Record<TaskName, IconName>> = {
  'Make smaller': 'shrink',
  'For the web': 'globe',
  'Under a size': 'limit',
  'Remove location': 'pinOff',
}

export const taskIcon = (task: TaskName): IconName => TASK_ICONS[task]

export const presetOfTask = (task: TaskName, underMegabytes: number): string =>
  task === 'Under a size' ? underSize(underMegabytes) : task

/** The name of a task in a list. It ends in "…" if the user has to choose something. */
export const taskLabel = (task: TaskName, t: WindowTranslation): string =>
  task === 'Under a size' ? t.tasks.underASize : taskName(task, t)

/** Returns the tasks that the built-in service has. A saved preset with a task's name replaces it. */
export const tasksWith = (presets: Presets | null): readonly TaskName[] =>
  TASK_NAMES.filter((task) => knownPreset({ kind: 'builtIn', presets }, task)?.isTask === true)
