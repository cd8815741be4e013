/** The tiles of a new job: what users can do with one click or key. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { type TaskName, taskOf } from '../../shared/preset/task-names.ts'
import type { App } from '../store/app.ts'
import type { IconName } from '../ui/icon.tsx'
import { presetOfTask, taskIcon, taskLabel, tasksWith } from './task-options.ts'

export type Tile = {
  readonly task: TaskName
  /** The preset that the tile stands for. */
  readonly preset: string
  readonly icon: IconName
  readonly label: string
  readonly line: string
}

function taskLine(task: TaskName, t: WindowTranslation): string {
  const lines = {
    'Make smaller': t.tasks.makeSmallerLine,
    'For the web': t.tasks.forTheWebLine,
    'Under a size': t.tasks.underASizeLine,
    'Remove location': t.tasks.removeLocationLine,
  } satisfies Readonly<Record<TaskName, string>>
  return lines[task]
}

/** Returns the tiles of a new job; none for another service, which has no tasks. */
export function tilesOf({ state, t }: App): readonly Tile[] {
  const { kind, presets } = state.draftConnection.value
  if (kind !== 'builtIn') return []
  const { underMegabytes } = state.settings.value
  return tasksWith(presets).map((task) => ({
    task,
    preset: presetOfTask(task, underMegabytes),
    icon: taskIcon(task),
    label: taskLabel(task, t.value),
    line: taskLine(task, t.value),
  }))
}

/** Returns the draft's tile; undefined if the draft has several presets, or one without a tile. */
export function chosenTile({ presets }: Draft, tiles: readonly Tile[]): Tile | undefined {
  const chosen = presets.length === 1 ? taskOf(presets[0]) : undefined
  return tiles.find(({ task }) => task === chosen?.name)
}
