/**
 * Files that come from outside the window: the tray, the dock, "Open with", a second start. The settings say whether they
 * wait in the draft for a look, or start at once with the defaults and can be taken back for some seconds.
 */
import type { Draft } from '../../../shared/model/draft.ts'
import type { Drafts } from '../../drafts/index.ts'
import type { Intake } from '../../intake/index.ts'
import type { Settings } from '../../settings/settings.ts'
import type { MainWindow } from '../windows/main-window.ts'

export type QuickDropDeps = {
  readonly intake: Pick<Intake, 'add' | 'findMedia'>
  readonly drafts: Pick<Drafts, 'store' | 'defaultDraft' | 'startDraft'>
  readonly settings: Pick<Settings, 'view'>
  readonly window: Pick<MainWindow, 'showAnd' | 'send' | 'isVisible'>
}

/** In ms. */
export const UNDO_GRACE_MS = 5_000

export function createQuickDrop({ intake, drafts, settings, window }: QuickDropDeps) {
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
        preset: draft.preset,
      })
      return
    }
    // Something needs a look: it goes into the draft after all, with its reasons.
    drafts.store.add(items, rejected)
    window.showAnd('show', { place: 'newJob' })
    window.send('toast', { kind: 'added', taken: items.length, refused: rejected.length })
  }

  return (paths: readonly string[]): Promise<void> =>
    settings.view().quickDrop === 'startAtOnce' ? startAtOnce(paths) : ask(paths)
}
