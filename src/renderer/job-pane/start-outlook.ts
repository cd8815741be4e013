/** What pressing *Start job* will really do; it stands beside the button. */
import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import type { QueueReading } from '../../shared/model/app-state.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { WindowWords } from '../../shared/i18n/window-i18n.ts'
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

export function startOutlook(parts: OutlookParts, w: WindowWords): Outlook {
  const { draft, connection } = parts
  if (draft.source.kind === 'files' && draft.source.items.length === 0) {
    return blocked(w.draftProblems.noInput)
  }
  if (draft.output.kind === 'folder' && draft.output.path === '') return blocked(w.draftProblems.noOutput)
  if (usesDrive(draft) && connection.drive !== null && !connection.drive.connected) {
    return blocked(w.newJob.connectDrive)
  }
  if (draft.output.kind === 'drive' && driveFolderId(draft.output.folderId) === null) {
    return blocked(w.newJob.notAFolderId)
  }
  const leftOut = draft.rejected.length
  const more = leftOut === 0 ? '' : ` ${w.newJob.leftOut({ count: leftOut })}`
  return { sentence: whenSentence(parts, w) + more, blocked: false }
}

const usesDrive = (draft: Draft): boolean => draft.output.kind === 'drive' || draft.source.kind === 'drive'

function whenSentence({ connection, queue, waitingHere, paused }: OutlookParts, w: WindowWords): string {
  if (paused) return w.newJob.paused
  switch (connection.state.status) {
    case 'unconfigured':
      return w.newJob.unconfigured
    case 'connecting':
      return w.newJob.connecting
    case 'offline':
      return w.newJob.notRunning
    case 'keyRefused':
      return w.newJob.keyRejected
    case 'wrongVersion':
      return w.newJob.otherVersion
    case 'online': {
      const waiting = queue?.waiting ?? 0
      if (waiting >= MAX_WAITING_JOBS) return w.newJob.queueFull
      const ahead = waiting + waitingHere + (queue?.processing ? 1 : 0)
      return ahead === 0 ? w.newJob.startsNow : w.newJob.startsAfter({ count: ahead })
    }
  }
}
