/**
 * The names of the contract without its schemas, so that the preload stays one small file. A name that is missing here, or
 * that the contract does not have, does not compile.
 */
import type { Events, IpcError, calls } from './contract.ts'

type Calls = typeof calls
type Names = { readonly [Group in keyof Calls]: readonly (keyof Calls[Group] & string)[] }

export const CALL_NAMES = {
  app: ['facts', 'snapshot', 'openLink', 'copyText', 'dismissNotice', 'stayOpen', 'quit'],
  updates: ['check', 'install'],
  draft: [
    'addPaths',
    'addImage',
    'pasteFromClipboard',
    'chooseFiles',
    'chooseFolder',
    'chooseOutput',
    'update',
    'removeItems',
    'removeRejected',
    'clear',
    'undo',
    'answerIntake',
    'start',
  ],
  work: ['details', 'cancel', 'runAgain', 'retryFailed', 'remove', 'restore', 'seen', 'saveResult'],
  outbox: ['sendNext', 'edit', 'remove', 'restore', 'resolve', 'pause', 'resume'],
  history: ['page', 'clear', 'save'],
  files: ['reveal', 'open', 'startDrag', 'exist', 'sizes'],
  connection: [
    'look',
    'test',
    'useExternal',
    'useBuiltIn',
    'replaceKey',
    'forgetKey',
    'retry',
    'acceptVersion',
    'refreshPresets',
  ],
  settings: ['update'],
  presets: ['list', 'save', 'remove'],
  drive: ['status', 'setup', 'useRemote', 'checkFolder'],
  watch: ['list', 'chooseFolder', 'save', 'remove', 'answer'],
  diagnostics: ['preview', 'save'],
} as const satisfies Names

/** Does not compile while a call of the contract is missing above. */
type Missing = {
  [Group in keyof Calls]: Exclude<keyof Calls[Group], (typeof CALL_NAMES)[Group][number]>
}[keyof Calls]
export type NothingMissing = Missing extends never ? true : ['missing in CALL_NAMES', Missing]
const nothingMissing: NothingMissing = true
void nothingMissing

export const EVENT_CHANNELS = {
  stateChanged: 'event:stateChanged',
  show: 'event:show',
  watchChanged: 'event:watchChanged',
  toast: 'event:toast',
} as const satisfies Record<keyof Events, string>

/** The one channel of a call, such as `draft:start`. */
export const channelOf = (group: string, name: string): string => `${group}:${name}`

/**
 * What comes back over a channel. Not a rejection, because Electron would put words of its own around the error and lose
 * its fields; the preload turns it into one.
 */
export type Answer =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly error: IpcError }
