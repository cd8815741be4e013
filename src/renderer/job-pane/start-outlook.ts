/** What pressing *Start job* will really do; it stands beside the button. */
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { QueueReading } from '../../shared/model/app-state.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { driveFolderId } from './drive-folder-id.ts'

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
