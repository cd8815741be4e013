import type { ClipboardNews } from '../../../shared/model/clipboard-news.ts'
import type { PartDetails } from '../../../shared/model/job.ts'

/** The clipboard functions that the rest of the shell uses. */
export interface ClipboardControl {
  readonly process: () => void
  readonly undo: (run: string) => Promise<void>
  /** Saves a copy of the result where the user chooses. */
  readonly saveAs: (run: string) => Promise<void>
  /** Opens the job, and offers the actions that a notification without buttons can't show. */
  readonly show: (news: Extract<ClipboardNews, { readonly kind: 'ready' }>) => void
  /** Whether automatic mode can ignore apps here. */
  readonly canTellFrontApp: () => Promise<boolean>
  /** @returns whether the clipboard reports the end of the job */
  readonly jobFinished: (record: PartDetails) => boolean
  readonly outboxChanged: () => void
  readonly close: () => void
}
