/** The tiles of a new job: what users can do with one click or key. */
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { starredOf } from '../../shared/preset/starred.ts'
import { type TaskName, taskOf } from '../../shared/preset/task-names.ts'
import type { App } from '../store/app.ts'
import { contentsOf } from '../store/draft-contents.ts'
import { onDemand } from '../store/later.tsx'
import type { IconName } from '../ui/icon.tsx'
import {
  kindOf,
  presetIcon,
  presetOfTask,
  reasonAgainst,
  taskIcon,
  taskLabel,
  tasksWith,
} from './task-options.ts'

const loadedTileLine = onDemand(async () => (await import('./preset-notes.ts')).tileLine)

export type Tile = {
  /** Absent for a starred preset. */
  readonly task?: TaskName
  readonly preset: string
  readonly icon: IconName
  readonly label: string
  /** What the tile does, or why it can't be chosen. */
  readonly line: string
  /** Whether the preset processes none of the draft's files. */
  readonly disabled?: boolean
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

/** Returns the tiles of a new job; none for another service, whose presets aren't known well enough. */
export function tilesOf(app: App): readonly Tile[] {
  const { state, t } = app
  const { kind, presets } = state.draftConnection.value
  if (kind !== 'builtIn') return []
  const starred = state.draft.value.choices === 'starred' ? starredTiles(app) : []
  if (starred.length > 0) return starred
  const { underMegabytes } = state.settings.value
  return tasksWith(presets).map((task) => ({
    task,
    preset: presetOfTask(task, underMegabytes),
    icon: taskIcon(task),
    label: taskLabel(task, t.value),
    line: taskLine(task, t.value),
  }))
}

function starredTiles(app: App): readonly Tile[] {
  const { draft, draftConnection, settings } = app.state
  const { presets } = draftConnection.value
  const contents = contentsOf(draft.value)
  const t = app.viewWords()
  return starredOf(settings.value.starredPresets, presets).map(({ name }) => {
    const reason = t && presets && reasonAgainst(kindOf(presets, name), contents, t)
    return {
      preset: name,
      icon: presetIcon(presets, name),
      label: name,
      line: reason ?? loadedTileLine()?.(app, name) ?? '',
      disabled: typeof reason === 'string',
    }
  })
}

/** Returns the draft's tile; undefined if the draft has several presets, or one without a tile. */
export function chosenTile({ presets }: Draft, tiles: readonly Tile[]): Tile | undefined {
  const [preset, ...others] = presets
  if (preset === undefined || others.length > 0) return undefined
  const task = taskOf(preset)?.name
  return tiles.find((tile) => (tile.task === undefined ? tile.preset === preset : tile.task === task))
}
