/** Asks how much of a job to cancel, if the user can choose (`mustAsk`). */
import { resultsSoFar } from '../../shared/model/job-progress.ts'
import { hasEnded, idOf, openPartsIn, runningPart, titleOf } from '../../shared/model/job-state.ts'
import { scopesOf, sectionsOf, type JobSection } from '../../shared/model/job-sections.ts'
import type { Job } from '../../shared/model/job.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { baseName } from '../../shared/paths.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { presetName } from '../../shared/i18n/sentences.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { type App, viewTranslation } from './app.ts'
import type { MenuEntry } from './overlays.ts'

/** "Web 2048", "~/Pictures/Harbour", "Part 2 of 3" */
export function sectionName({ by, parts: [first] }: JobSection, app: App): string {
  const t = viewTranslation(app)
  const { preset, output, place, firstPath } = first
  if (by === 'preset') return presetName(preset, t)
  if (by === 'folder' && output?.kind === 'folder') {
    // Results that replace originals are saved to the vault first, so name the originals' folder, which the user knows.
    const folder =
      isInVault(output.path) && firstPath !== null
        ? firstPath.slice(0, -baseName(firstPath).length - 1)
        : output.path
    return shortPath(folder, app.facts.homeFolder)
  }
  return t.parts.part({ part: place.part + 1, parts: place.parts })
}

/** Returns the sections with unfinished parts, the running one first. */
function openSections(job: Job): readonly JobSection[] {
  const open = sectionsOf(job).filter((section) => openPartsIn(section).length > 0)
  return open.toSorted((a, b) => Number(isRunning(b)) - Number(isRunning(a)))
}

const isRunning = (section: JobSection): boolean => runningPart(section) !== undefined

/** Whether the user must choose between a section and the whole job. Parts into which a long list was split can't be chosen. */
export const mustAsk = (job: Job): boolean => {
  const open = openSections(job)
  return open.length > 1 && open[0]?.by !== 'part'
}

export function askCancel(app: App, job: Job, anchor: HTMLElement): void {
  const t = viewTranslation(app)
  const { output } = titleOf(job)
  const replaces = output?.kind === 'folder' && isInVault(output.path)
  app.overlays.menu.value = {
    label: t.actions.cancelJob,
    anchor,
    entries: [
      {
        kind: 'heading',
        label: replaces ? replacedHeading(job, t) : finishedHeading(job, t),
      },
      ...onlyCurrent(app, openSections(job)),
      {
        icon: 'stop',
        label: allLabel(job, t),
        hint: replaces ? t.parts.otherOriginalsStay : t.parts.originalsStay,
        run: () => void app.attempt(app.bridge.jobs.cancel({ id: idOf(job), scope: 'job' })),
      },
    ],
  }
}

function finishedHeading(job: Job, t: ViewTranslation): string {
  const count = resultsSoFar(job)
  return count === 0 ? t.parts.nothingFinished : t.parts.finishedStay({ count })
}

/** Explains what happens to originals replaced so far. Results replace their originals only when their part has ended. */
function replacedHeading({ parts }: Job, t: ViewTranslation): string {
  const isReplaced = parts.some(hasEnded)
  return isReplaced ? t.parts.replacedStay : t.parts.nothingReplaced
}

function onlyCurrent(app: App, [current, following]: readonly JobSection[]): readonly MenuEntry[] {
  if (current === undefined || following === undefined) return []
  const t = viewTranslation(app)
  const name = sectionName(following, app)
  const [next] = openPartsIn(following)
  const isNext = next?.at === 'service' && next.stage.kind === 'queued' && next.stage.position === 1
  const { photos, videos } = current.parts[0]
  return [
    {
      icon: current.by === 'folder' ? 'folder' : videos > 0 && photos === 0 ? 'video' : 'photo',
      label: t.parts.cancelOnly({ name: sectionName(current, app) }),
      hint: isNext && isRunning(current) ? t.parts.startsNow({ name }) : t.parts.stillRuns({ name }),
      run: () => {
        for (const scope of scopesOf(current)) void app.attempt(app.bridge.jobs.cancel(scope))
      },
    },
  ]
}

function allLabel(job: Job, t: ViewTranslation): string {
  const all = sectionsOf(job)
  const open = openSections(job)
  const { length: count } = open
  const what = all[0]?.by === 'folder' ? t.severalFolders : t.severalPresets
  if (count < all.length) return what.cancelRest({ count })
  return count === 2 ? what.cancelBoth : what.cancelAll({ count })
}
