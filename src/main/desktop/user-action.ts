/** Actions that a click in the tray, a notification or a menu can trigger. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { ClipboardNews } from '../../shared/model/clipboard-news.ts'
import type { PauseLength } from '../../shared/model/quiet.ts'

export type UserAction =
  | { readonly do: 'newJob' | 'pasteImage' | 'open' | 'settings' | 'newest' | 'search' | 'quit' }
  | { readonly do: 'enterKey' | 'useBuiltIn' | 'tryAgain' | 'resume' }
  | { readonly do: 'pause'; readonly length: PauseLength }
  | { readonly do: 'addFiles' | 'addFolder' | 'help' | 'installCommand' }
  | { readonly do: 'cancel' | 'showRecord' | 'showResult' | 'reveal'; readonly id: RecordId }
  | { readonly do: 'retry' | 'runAgain' | 'restoreOriginals'; readonly id: RecordId }
  /** Takes back a start that can still be undone, or puts it into the draft. */
  | { readonly do: 'undoStart' | 'editStart'; readonly ids: readonly RecordId[] }
  | { readonly do: 'processClipboard' }
  /** `run` identifies what was put on the clipboard. */
  | { readonly do: 'undoClipboard' | 'saveClipboard'; readonly run: string }
  | { readonly do: 'showClipboard'; readonly news: Extract<ClipboardNews, { readonly kind: 'ready' }> }
  /** Lets the user choose files and starts them with a preset. */
  | { readonly do: 'startWith'; readonly preset: string }
