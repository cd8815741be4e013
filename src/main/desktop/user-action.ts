/** Actions that a click in the tray, a notification or a menu can trigger. */
import type { RecordId } from '../../shared/model/ids.ts'
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
  /** Lets the user choose files and starts them with a preset. */
  | { readonly do: 'startWith'; readonly preset: string }
