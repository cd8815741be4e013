import type { Confirmation, DraftProblem } from '../../shared/model/draft.ts'
import type { App } from './app.ts'
import { showDetails, unlessNavigated } from './navigation.ts'
import { offerUndo } from './offer-undo.ts'

/**
 * Starts the draft and shows the problems that the main process found.
 * @param split whether to start photos and videos as separate jobs
 * @param confirmed the questions that the user has answered with yes
 */
export async function start(
  app: App,
  split: boolean,
  confirmed: readonly Confirmation[] = [],
): Promise<void> {
  app.startProblems.value = await startDraft(app, split, confirmed)
}

/** Starts the draft. @returns the problems; empty if the draft was started */
export async function startDraft(
  app: App,
  split: boolean,
  confirmed: readonly Confirmation[] = [],
): Promise<readonly DraftProblem[]> {
  // The response can take a while on a slow disk.
  const ifStillHere = unlessNavigated(app)
  const result = await app.attempt(
    app.bridge.draft.start({ split, ...(confirmed.length === 0 ? {} : { confirmed: [...confirmed] }) }),
  )
  if (result === undefined) return []
  if (!result.ok) return result.problems
  const first = result.ids[0]
  if (first !== undefined) ifStillHere(() => showDetails(app, first, true))
  return []
}

export const clearDraft = (app: App): Promise<void> =>
  offerUndo(app, app.bridge.draft.clear(), app.t.value.toasts.cleared, () => app.bridge.draft.undo())

export const removeFromDraft = (app: App, path: string): Promise<void> =>
  offerUndo(app, app.bridge.draft.removeItems([path]), app.t.value.toasts.filesRemoved({ count: 1 }), () =>
    app.bridge.draft.undo(),
  )
