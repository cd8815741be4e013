/** The tasks that can be chosen in place of presets. */
import type { Presets } from '../../shared/api/resources.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { taskName } from '../../shared/i18n/sentences.ts'
import { TASK_NAMES, underSize, type TaskName } from '../../shared/preset/task-names.ts'
import type { IconName } from '../ui/icon.tsx'

export type Kind = 'image' | 'video' | 'both'

/** Returns what a preset processes; null if there is no preset with this name. */
export const kindOf = ({ image, video }: Presets, name: string): Kind | null => {
  const [forPhotos, forVideos] = [image.includes(name), video.includes(name)]
  if (forPhotos && forVideos) return 'both'
  return forPhotos ? 'image' : forVideos ? 'video' : null
}

const TASK_ICONS: Readonly<Record<TaskName, IconName>> = {
  'Make smaller': 'shrink',
  'For the web': 'globe',
  'Under a size': 'limit',
  'Remove location': 'pinOff',
}

export const taskIcon = (task: TaskName): IconName => TASK_ICONS[task]

/** Returns the preset that a task stands for. */
export const presetOfTask = (task: TaskName, underMegabytes: number): string =>
  task === 'Under a size' ? underSize(underMegabytes) : task

/** The name of a task in a list. It ends in "…" if the user has to choose something. */
export const taskLabel = (task: TaskName, t: WindowTranslation): string =>
  task === 'Under a size' ? t.tasks.underASize : taskName(task, t)

/** Returns the tasks that the built-in service has. A saved preset with a task's name replaces it. */
export const tasksWith = (presets: Presets | null): readonly TaskName[] =>
  TASK_NAMES.filter((task) => presets === null || kindOf(presets, task) === null)
