import type { Draft, DraftProblem } from '../../shared/model/draft.ts'
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { QueueReading } from '../../shared/model/app-state.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { driveFolderId } from '../../shared/drive-folder.ts'
import type { App } from './app.ts'
import { showDetails, unlessGone } from './navigation.ts'

/** What the button and its key do: nothing while something stands in the way that the window knows of. */
export async function pressStart(app: App): Promise<void> {
  if (!outlookOf(app).blocked) await start(app, false)
}

/** Starts the draft, and shows beside the button what main finds in the way. @param split photos and videos apart */
export async function start(app: App, split: boolean): Promise<void> {
  app.startProblems.value = await startDraft(app, split)
}

/** @returns what stands in the way; nothing when it was started */
export async function startDraft(app: App, split: boolean): Promise<readonly DraftProblem[]> {
  // On a slow disk the answer takes its time.
  const ifStillHere = unlessGone(app)
  const result = await app.attempt(app.bridge.draft.start({ split }))
  if (result === undefined) return []
  if (!result.ok) return result.problems
  const first = result.ids[0]
  if (first !== undefined) ifStillHere(() => showDetails(app, first, true))
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

/** How many files of each kind a preset has to fit. */
export type Contents = { readonly photos: number; readonly videos: number }

export function contentsOf(draft: Draft): Contents {
  const items = draft.source.kind === 'files' ? draft.source.items : []
  const photos = items.filter(({ kind }) => kind === 'image').length
  return { photos, videos: items.length - photos }
}

/** What pressing *Start job* will really do; it stands beside the button. */
export type Outlook = { readonly sentence: string; readonly blocked: boolean }

export type OutlookParts = {
  readonly draft: Draft
  readonly connection: ConnectionView
  readonly queue: QueueReading | null
  /** Submissions that wait here and go first. */
  readonly waitingHere: number
  readonly paused: boolean
}

const blocked = (sentence: string): Outlook => ({ sentence, blocked: true })

export const outlookOf = ({ state, t }: App): Outlook =>
  startOutlook(
    {
      draft: state.draft.value,
      connection: state.connection.value,
      queue: state.queue.value,
      waitingHere: state.outbox.value.filter((entry) => entry.state.kind === 'waiting').length,
      paused: state.outboxPaused.value,
    },
    t.value,
  )

export function startOutlook(parts: OutlookParts, t: WindowTranslation): Outlook {
  const { draft, connection } = parts
  if (draft.source.kind === 'files' && draft.source.items.length === 0) {
    return blocked(t.draftProblems.noInput)
  }
  if (draft.output.kind === 'folder' && draft.output.path === '') return blocked(t.draftProblems.noOutput)
  if (usesDrive(draft) && connection.drive !== null && !connection.drive.connected) {
    return blocked(t.newJob.connectDrive)
  }
  if (draft.output.kind === 'drive' && driveFolderId(draft.output.folderId) === null) {
    return blocked(t.newJob.notAFolderId)
  }
  const leftOut = draft.rejected.length
  const more = leftOut === 0 ? '' : ` ${t.newJob.leftOut({ count: leftOut })}`
  return { sentence: whenSentence(parts, t) + more, blocked: false }
}

const usesDrive = (draft: Draft): boolean => draft.output.kind === 'drive' || draft.source.kind === 'drive'

function whenSentence(
  { connection, queue, waitingHere, paused }: OutlookParts,
  t: WindowTranslation,
): string {
  if (paused) return t.newJob.paused
  switch (connection.state.status) {
    case 'unconfigured':
      return t.newJob.unconfigured
    case 'connecting':
      return t.newJob.connecting
    case 'offline':
      return t.newJob.notRunning
    case 'keyRefused':
      return t.newJob.keyRejected
    case 'wrongVersion':
      return t.newJob.otherVersion
    case 'online': {
      const waiting = queue?.waiting ?? 0
      if (waiting >= MAX_WAITING_JOBS) return t.newJob.queueFull
      const ahead = waiting + waitingHere + (queue?.processing ? 1 : 0)
      return ahead === 0 ? t.newJob.startsNow : t.newJob.startsAfter({ count: ahead })
    }
  }
}
