/** Asks how much of a group to cancel. Canceling the only unfinished part needs no question. */
import { resultsSoFar, runningJobIn } from '../../shared/model/group-progress.ts'
import { openPartsIn, scopesOf, sectionsOf, type GroupSection } from '../../shared/model/group-sections.ts'
import { idOf, titleOf, type GroupItem, type WorkItem } from '../../shared/model/work-item.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { baseName } from '../../shared/paths.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import type { App } from './app.ts'
import type { MenuEntry } from './overlays.ts'

/** "Web 2048", "~/Pictures/Harbour", "Part 2 of 3" */
export function sectionName({ by, parts: [first] }: GroupSection, app: App): string {
  const t = app.t.value
  const { preset, output, group, firstPath } = titleOf(first)
  if (by === 'preset') return presetName(preset, t)
  if (by === 'folder' && output?.kind === 'folder') {
    // The results that replace originals are in the vault first, which says nothing to the user.
    const folder =
      isInVault(output.path) && firstPath !== null
        ? firstPath.slice(0, -baseName(firstPath).length - 1)
        : output.path
    return shortPath(folder, app.facts.homeFolder)
  }
  return t.group.part({ part: (group?.part ?? 0) + 1, parts: group?.parts ?? 1 })
}

/** Sections with unfinished parts, the running one first. */
function openSections(group: GroupItem): readonly GroupSection[] {
  const open = sectionsOf(group).filter((section) => openPartsIn(section).length > 0)
  return open.toSorted((a, b) => Number(isRunning(b)) - Number(isRunning(a)))
}

const isRunning = (section: GroupSection): boolean => runningJobIn(section.parts) !== undefined

/** Whether the user must choose between a part and the whole job. The parts of a long list are of no interest. */
export const mustAsk = (item: WorkItem): item is GroupItem => {
  if (item.kind !== 'group') return false
  const open = openSections(item)
  return open.length > 1 && open[0]?.by !== 'part'
}

export function askCancel(app: App, group: GroupItem, anchor: HTMLElement): void {
  const t = app.t.value
  const { output } = titleOf(group)
  const replaces = output?.kind === 'folder' && isInVault(output.path)
  app.overlays.menu.value = {
    label: t.actions.cancelJob,
    anchor,
    entries: [
      {
        kind: 'heading',
        label: replaces ? replacedHeading(group, t) : finishedHeading(group, t),
      },
      ...onlyCurrent(app, openSections(group)),
      {
        kind: 'item',
        icon: 'stop',
        label: allLabel(group, t),
        hint: replaces ? t.group.otherOriginalsStay : t.group.originalsStay,
        run: () => void app.attempt(app.bridge.work.cancel({ id: idOf(group), scope: 'group' })),
      },
    ],
  }
}

function finishedHeading(group: GroupItem, t: WindowTranslation): string {
  const count = resultsSoFar(group)
  return count === 0 ? t.group.nothingFinished : t.group.finishedStay({ count })
}

/** The results of a part replace their originals only when the part has ended. */
function replacedHeading({ parts }: GroupItem, t: WindowTranslation): string {
  const isReplaced = parts.some((part) => part.kind === 'record' && part.record.outcome !== null)
  return isReplaced ? t.group.replacedStay : t.group.nothingReplaced
}

function onlyCurrent(app: App, [current, following]: readonly GroupSection[]): readonly MenuEntry[] {
  if (current === undefined || following === undefined) return []
  const t = app.t.value
  const name = sectionName(following, app)
  const [next] = openPartsIn(following)
  const isNext = next?.kind === 'job' && next.job.stage.kind === 'queued' && next.job.stage.position === 1
  const { photos, videos } = titleOf(current.parts[0])
  return [
    {
      kind: 'item',
      icon: current.by === 'folder' ? 'folder' : videos > 0 && photos === 0 ? 'video' : 'photo',
      label: t.group.cancelOnly({ name: sectionName(current, app) }),
      hint: isNext && isRunning(current) ? t.group.startsNow({ name }) : t.group.stillRuns({ name }),
      run: () => {
        for (const scope of scopesOf(current)) void app.attempt(app.bridge.work.cancel(scope))
      },
    },
  ]
}

function allLabel(group: GroupItem, t: WindowTranslation): string {
  const all = sectionsOf(group)
  const open = openSections(group)
  const { length: count } = open
  const what = all[0]?.by === 'folder' ? t.groupFolders : t.groupPresets
  if (count < all.length) return what.cancelRest({ count })
  return count === 2 ? what.cancelBoth : what.cancelAll({ count })
}
