/** Actions that a click in the tray, a notification or a menu can trigger. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { ClipboardNews } from '../../shared/model/clipboard-news.ts'
import type { PauseLength } from '../../shared/model/quiet.ts'

type Plain =
  | ('newJob' | 'pasteImage' | 'open' | 'settings' | 'newest' | 'search' | 'quit')
  | ('enterKey' | 'useBuiltIn' | 'tryAgain' | 'resume')
  | ('addFiles' | 'addFolder' | 'help' | 'installCommand' | 'processClipboard')
type OfJob = 'cancel' | 'showRecord' | 'showResult' | 'reveal' | 'retry' | 'runAgain' | 'restoreOriginals'

type ActionData = Readonly<Record<Plain, unknown>> &
  Readonly<Record<OfJob, { readonly id: RecordId }>> & {
    readonly pause: { readonly length: PauseLength }
    /** Removes submissions that can still be undone. `editStart` reopens the first one as a draft instead. */
    readonly undoStart: { readonly ids: readonly RecordId[] }
    readonly editStart: { readonly ids: readonly RecordId[] }
    /** `run` is the run that put its results on the clipboard. */
    readonly undoClipboard: { readonly run: string }
    readonly saveClipboard: { readonly run: string }
    readonly showClipboard: { readonly news: Extract<ClipboardNews, { readonly kind: 'ready' }> }
    /** Lets the user choose files and starts them with a preset. */
    readonly startWith: { readonly preset: string }
  }

type ActionTo<Do extends keyof ActionData> = { readonly do: Do } & ActionData[Do]

export type UserAction = { readonly [Do in keyof ActionData]: ActionTo<Do> }[keyof ActionData]

export type ActionRunners = { readonly [Do in keyof ActionData]: (action: ActionTo<Do>) => void }

export const runAction = <Do extends keyof ActionData>(runners: ActionRunners, action: ActionTo<Do>): void =>
  runners[action.do](action)
