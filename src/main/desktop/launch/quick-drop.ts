/**
 * Adds files from outside the window: tray, dock, "Open with", or a second launch. Depending on the settings, the files wait in the
 * draft, or start immediately with the defaults. An immediate start can be undone for a few seconds.
 */
import type { Draft } from '../../../shared/model/draft.ts'
import type { Core } from '../../core/index.ts'
import type { MainWindow } from '../windows/main-window.ts'

/** Time in ms during which the user can undo an immediate submission. */
export const UNDO_GRACE_MS = 5_000

export function createQuickDrop(
  { intake, drafts, settings }: Pick<Core, 'intake' | 'drafts' | 'settings'>,
  window: Pick<MainWindow, 'showAnd' | 'send'>,
) {
  async function ask(paths: readonly string[]): Promise<void> {
    window.showAnd('show', { place: 'newJob' })
    const { taken, refused } = await intake.add(paths)
    window.send('toast', { kind: 'added', taken, refused })
  }

  async function startAtOnce(paths: readonly string[]): Promise<void> {
    const { items, rejected } = await intake.findMedia(paths)
    const draft: Draft = { ...drafts.defaultDraft(), source: { kind: 'files', items }, rejected }
    const started =
      items.length > 0 && rejected.length === 0
        ? await drafts.startDraft(draft, { split: false, grace: UNDO_GRACE_MS })
        : undefined
    if (started?.ok === true) {
      window.send('toast', {
        kind: 'startingSoon',
        ids: started.ids,
        files: items.length,
        presets: draft.presets,
      })
      return
    }
    // Something needs the user's attention, so the files go into the draft together with the reasons.
    drafts.store.add(items, rejected)
    window.showAnd('show', { place: 'newJob' })
    window.send('toast', { kind: 'added', taken: items.length, refused: rejected.length })
  }

  return (paths: readonly string[]): Promise<void> =>
    settings.view().quickDrop === 'startAtOnce' ? startAtOnce(paths) : ask(paths)
}
