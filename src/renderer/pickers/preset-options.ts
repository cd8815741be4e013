/** Lists the presets that can be chosen for a set of files, and explains why others can't. */
import type { Presets } from '../../shared/api/resources.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { MAX_PRESETS } from '../../shared/model/draft.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import { starredOf } from '../../shared/preset/starred.ts'
import { changedTaskOf, taskOf } from '../../shared/preset/task-names.ts'
import type { Contents } from '../store/draft-contents.ts'
import type { Option, OptionGroup } from '../ui/form-controls.tsx'
import {
  kindOf,
  presetIcon,
  presetOfTask,
  reasonAgainst,
  taskIcon,
  taskLabel,
  tasksWith,
  type Kind,
} from './task-options.ts'

/** The value of the option "Basic defaults". No preset has an empty name. */
export const BASIC = ''

export const presetsForBoth = (presets: Presets): readonly string[] =>
  presets.image.filter((name) => presets.video.includes(name))

export type PresetList = {
  /** null while they are unknown. */
  readonly presets: Presets | null
  /** Names of the presets to list first, in this order. */
  readonly starred: readonly string[]
  readonly chosen: readonly string[]
  readonly contents: Contents
  /** The maximum size in MB that *Under a size* has if it is chosen. Absent if the tasks aren't offered. */
  readonly underMegabytes?: number | undefined
  /** Returns a short summary of a preset; undefined if it isn't known. */
  readonly noteOf?: (name: string) => string | undefined
}

function kindWords(kind: Kind, t: ViewTranslation): string {
  if (kind === 'both') return t.newJob.kindBoth
  return kind === 'image' ? t.newJob.kindPhotos : t.newJob.kindVideos
}

function taskOptions({ presets, chosen, underMegabytes }: PresetList, t: ViewTranslation): readonly Option[] {
  if (underMegabytes === undefined) return []
  return tasksWith(presets).map((task) => ({
    value: chosen.find((name) => taskOf(name)?.name === task) ?? presetOfTask(task, underMegabytes),
    label: taskLabel(task, t),
    icon: taskIcon(task),
    alone: true,
  }))
}

export function presetGroups(list: PresetList, t: ViewTranslation): readonly OptionGroup[] {
  const { presets, starred, chosen } = list
  const tasks = taskOptions(list, t)
  const names = presets === null ? [] : [...new Set([...presets.image, ...presets.video])]
  const isKind = (kind: Kind) => (name: string) => presets !== null && kindOf(presets, name) === kind
  const offered = presets === null ? [] : starredOf(starred, presets)
  const others = names.filter((name) => !starred.includes(name))
  const option = (name: string) => optionOf(list, name, t)
  const unknown = chosen
    .filter((name) => !names.includes(name) && !tasks.some(({ value }) => value === name))
    .map((name): Option => {
      const base = changedTaskOf(name)
      const why = base === undefined ? t.newJob.unknownPreset : t.tasks.forThisJob
      const alone = base !== undefined
      return { value: name, label: presetName(name, t), icon: presetIcon(presets, name), why, alone }
    })
  const basic: Option = {
    value: BASIC,
    label: t.phrases.basicDefaults,
    icon: 'sliders',
    why: t.newJob.noPreset,
    alone: true,
  }
  const groups: readonly OptionGroup[] = [
    { label: t.tasks.common, options: tasks },
    { label: t.newJob.starred, options: offered.map(({ name }) => option(name)) },
    { label: t.newJob.photosAndVideos, options: others.filter(isKind('both')).map(option) },
    { label: t.newJob.photos, options: others.filter(isKind('image')).map(option) },
    { label: t.newJob.videos, options: others.filter(isKind('video')).map(option) },
    { options: [...unknown, basic] },
  ]
  return groups.filter(({ options }) => options.length > 0)
}

function optionOf(
  { presets, chosen, contents, noteOf }: PresetList,
  name: string,
  t: ViewTranslation,
): Option {
  const kind = presets && kindOf(presets, name)
  const isFull = chosen.length >= MAX_PRESETS && !chosen.includes(name)
  const reason = reasonAgainst(kind, contents, t) ?? (isFull ? t.newJob.fiveAtMost : undefined)
  const why = reason ?? noteOf?.(name)
  return {
    value: name,
    label: name,
    icon: presetIcon(presets, name),
    ...(kind === null ? {} : { kind: kindWords(kind, t) }),
    ...(why === undefined ? {} : { why }),
    ...(reason === undefined ? {} : { disabled: true }),
  }
}

/** Adds a preset to the chosen ones, or removes it if it is chosen. Adds none if `MAX_PRESETS` are chosen. A preset replaces a task. */
export function toggled(all: readonly string[], name: string): readonly string[] {
  const chosen = all.filter((other) => taskOf(changedTaskOf(other) ?? other) === undefined)
  if (chosen.includes(name)) return chosen.filter((other) => other !== name)
  return chosen.length >= MAX_PRESETS ? chosen : [...chosen, name]
}
