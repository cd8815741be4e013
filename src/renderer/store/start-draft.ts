import type { DraftProblem } from '../../shared/model/draft-start.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { App } from './app.ts'
import { showDetails } from './navigation.ts'
import type { Contents } from '../job-pane/preset-choice.ts'

/** @returns what stands in the way; nothing when it was started */
export async function startDraft(app: App, split: boolean): Promise<readonly DraftProblem[]> {
  const result = await app.attempt(app.bridge.draft.start({ split }))
  if (result === undefined) return []
  if (!result.ok) return result.problems
  const first = result.ids[0]
  if (first !== undefined) showDetails(app, first, true)
  return []
}

export async function clearDraft(app: App): Promise<void> {
  await app.attempt(app.bridge.draft.clear())
  offerUndo(app, app.t.value.toasts.cleared)
}

export async function removeFromDraft(app: App, paths: readonly string[]): Promise<void> {
  await app.attempt(app.bridge.draft.removeItems([...paths]))
  offerUndo(app, app.t.value.toasts.filesRemoved({ count: paths.length }))
}

function offerUndo(app: App, text: string): void {
  app.toasts.show({
    text,
    actions: [{ label: app.t.value.actions.undo, run: () => void app.attempt(app.bridge.draft.undo()) }],
  })
}

export function contentsOf(draft: Draft): Contents {
  const items = draft.source.kind === 'files' ? draft.source.items : []
  const photos = items.filter(({ kind }) => kind === 'image').length
  return { photos, videos: items.length - photos }
}
