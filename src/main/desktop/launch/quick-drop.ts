/**
 * Adds files from outside the window: tray, dock, "Open with", or a second launch. Depending on the settings, the files wait in the
 * draft, or start immediately with the defaults. Files picked with a preset always start immediately. An immediate start can be
 * undone for a few seconds.
 */
import type { Events } from '../../../shared/ipc/contract.ts'
import type { Draft, DraftProblem } from '../../../shared/model/draft.ts'
import type { Core } from '../../core/index.ts'
import { countNamed, itemsOf } from '../../drafts/index.ts'
import type { MainWindow } from '../windows/main-window.ts'
import type { PresetPick } from './incoming.ts'

/** Time in ms during which the user can undo an immediate submission. */
export const UNDO_GRACE_MS = 5_000

export type StartingSoon = Extract<Events['toast'], { readonly kind: 'startingSoon' }>

/** Why files picked with presets weren't started. */
export type PickProblem =
  /** None of the files is a photo or video. */
  | { readonly code: 'noMedia'; readonly files: number }
  | Extract<DraftProblem, { readonly code: 'presetNotFor' | 'noPresetFor' | 'presetUnknown' }>

export type QuickDrop = ReturnType<typeof createQuickDrop>

export function createQuickDrop(
  options: Pick<Core, 'intake' | 'drafts' | 'outbox' | 'settings'> & {
    readonly window: Pick<MainWindow, 'showAnd'>
    readonly tellStarting: (starting: StartingSoon) => void
    readonly tellProblem: (problem: PickProblem) => void
  },
) {
  const { intake, drafts, outbox, settings, window, tellStarting, tellProblem } = options

  async function ask(paths: readonly string[]): Promise<void> {
    window.showAnd('show', { place: 'newJob' })
    await intake.add(paths)
  }

  /** @returns undefined if the draft was started; otherwise its problems, an empty list if it has no files or some were rejected */
  async function start(draft: Draft): Promise<readonly DraftProblem[] | undefined> {
    const items = itemsOf(draft)
    if (items.length === 0 || draft.rejected.length > 0) return []
    const started = await drafts.startDraft(draft, { split: false, grace: UNDO_GRACE_MS })
    if (!started.ok) return started.problems
    const plans = started.ids.flatMap((id) => outbox.get(id)?.plan.items ?? [])
    const planned = [...new Map(plans.map((item) => [item.path, item])).values()]
    const photos = planned.filter(({ kind }) => kind === 'image').length
    tellStarting({
      kind: 'startingSoon',
      ids: started.jobs,
      photos,
      videos: planned.length - photos,
      skipped: started.skipped ?? 0,
      presets: draft.presets,
      ...(draft.output.kind === 'replace' ? { isReplacing: true } : {}),
    })
    return undefined
  }

  /** Shows the new job, and adds the files, including rejected ones, to its draft. */
  function leaveToUser(draft: Draft): void {
    window.showAnd('show', { place: 'newJob' })
    intake.addFound({ items: itemsOf(draft), rejected: draft.rejected })
  }

  async function startAtOnce(paths: readonly string[]): Promise<void> {
    const { items, rejected } = await intake.findMedia(paths)
    const draft: Draft = { ...drafts.defaultDraft(), source: { kind: 'files', items }, rejected }
    if ((await start(draft)) !== undefined) leaveToUser(draft)
  }

  /** Chooses the presets in the draft, unless the user is already composing another job there. */
  function choosePresets(presets: readonly string[]): void {
    const { source, rejected } = drafts.store.view()
    const isEmpty = source.kind === 'files' && source.items.length + rejected.length === 0
    if (isEmpty) drafts.store.change({ presets: [...presets] })
  }

  async function startWith({ presets, paths }: PresetPick): Promise<void> {
    if (paths.length === 0) {
      choosePresets(presets)
      return window.showAnd('show', { place: 'newJob' })
    }
    const { items, rejected } = await intake.findMedia(paths)
    if (items.length === 0) return tellProblem({ code: 'noMedia', files: paths.length })
    const draft: Draft = { ...drafts.defaultDraft(), presets, source: { kind: 'files', items }, rejected }
    const problems = await start(draft)
    if (problems === undefined) return countNamed(presets, settings)
    const misfit = problems.find(({ code }) => code === 'presetNotFor' || code === 'noPresetFor')
    if (misfit !== undefined) return tellProblem(misfit as PickProblem)
    const unknown = problems.find(({ code }) => code === 'presetUnknown')
    choosePresets(presets)
    leaveToUser(draft)
    if (unknown !== undefined) tellProblem(unknown as PickProblem)
    return undefined
  }

  return {
    add: (paths: readonly string[]): Promise<void> =>
      settings.view().quickDrop === 'startAtOnce' ? startAtOnce(paths) : ask(paths),
    startWith,
  }
}
