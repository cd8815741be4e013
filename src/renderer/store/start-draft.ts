import type { Confirmation, Draft } from '../../shared/model/draft.ts'
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
  app.refusedStart.value = await startDraft(app, split, confirmed)
}

/** Identifies the user's choices in a draft. The problems of a start apply only to the choices with which it was started. */
export function subjectOf({ source, rejected: _rejected, editing: _editing, ...options }: Draft): string {
  // `editing` changes without the user.
  return JSON.stringify([options, source.kind === 'files' ? source.items.length : source.folderId])
}

/** Starts the draft. @returns the refusal; null if the draft was started, or if the call failed, which a toast reports */
export async function startDraft(
  app: App,
  split: boolean,
  confirmed: readonly Confirmation[] = [],
): Promise<App['refusedStart']['value']> {
  // The response can take a while on a slow disk.
  const ifStillHere = unlessNavigated(app)
  const result = await app.attempt(
    app.bridge.draft.start({ split, ...(confirmed.length === 0 ? {} : { confirmed: [...confirmed] }) }),
  )
  if (result === undefined) return null
  if (!result.ok) return result
  const first = result.ids[0]
  if (first !== undefined) ifStillHere(() => showDetails(app, first, true))
  return null
}

export const clearDraft = (app: App): Promise<void> =>
  offerUndo(app, app.bridge.draft.clear(), app.t.value.toasts.cleared, () => app.bridge.draft.undo())

export const removeFromDraft = (app: App, path: string): Promise<void> =>
  offerUndo(app, app.bridge.draft.removeItems([path]), app.t.value.toasts.filesRemoved({ count: 1 }), () =>
    app.bridge.draft.undo(),
  )
