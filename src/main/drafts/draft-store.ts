/**
 * Where a draft lies until it is started or cleared. It outlives the window, takes in files from everywhere, and can take
 * back the last thing that was taken away.
 */
import { randomUUID } from 'node:crypto'
import type { Draft, OutputTarget } from '../../shared/model/draft.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import {
  isEmpty,
  withFiles,
  withOptions,
  withoutFiles,
  withoutRejected,
  withoutStarted,
  type DraftOptions,
} from './draft-changes.ts'

/** What a new draft begins with, from the settings. */
export type DraftDefaults = {
  readonly preset: string | null
  readonly output: OutputTarget
  readonly variations: number
  readonly grouping: Draft['grouping']
}

export interface DraftStore {
  view(): Draft
  /** The name under which this draft can be started, once; the next draft has another one. */
  key(): string
  add(items: readonly MediaItem[], rejected: readonly RejectedItem[]): void
  change(options: DraftOptions): void
  removeFiles(paths: readonly string[]): void
  removeRejected(): void
  /** Puts the draft away; `undo` brings it back. */
  clear(): void
  undo(): void
  /** Another draft takes its place: a record run again, or a waiting submission to be edited. */
  open(draft: Draft): void
  /**
   * The draft was started as it was under this key: a new one begins, with what has been added since, and there is nothing to
   * undo.
   */
  started(key: string, as: Draft): void
  /** What it was to replace is gone: it would be a submission of its own. */
  replacesNothing(): void
  /** New defaults reach a draft that nobody has touched. */
  defaultsChanged(): void
}

export function createDraftStore(
  defaults: () => DraftDefaults,
  onChange: (draft: Draft) => void,
): DraftStore {
  let draft = emptyDraft(defaults())
  let before: Draft | undefined
  let key = randomUUID()

  function put(next: Draft): void {
    if (next === draft) return
    draft = next
    onChange(draft)
  }
  function putUndoable(next: Draft): void {
    if (next !== draft) before = draft
    put(next)
  }

  return {
    view: () => draft,
    key: () => key,
    add: (items, rejected) => put(withFiles(draft, items, rejected)),
    change: (options) => put(withOptions(draft, options)),
    removeFiles: (paths) => putUndoable(withoutFiles(draft, paths)),
    removeRejected: () => putUndoable(withoutRejected(draft)),
    clear: () => putUndoable(emptyDraft(defaults())),
    undo() {
      if (before === undefined) return
      put(before)
      before = undefined
    },
    open: (next) => putUndoable(next),
    started(startedKey, as) {
      if (startedKey !== key) return
      before = undefined
      key = randomUUID()
      const left = draft === as ? undefined : withoutStarted(draft, as)
      put(left === undefined || isEmpty(left) ? emptyDraft(defaults()) : left)
    },
    replacesNothing: () => put({ ...draft, editing: null }),
    defaultsChanged() {
      if (isEmpty(draft) && draft.editing === null) put(emptyDraft(defaults()))
    },
  }
}

export const emptyDraft = (defaults: DraftDefaults): Draft => ({
  source: { kind: 'files', items: [] },
  rejected: [],
  editing: null,
  ...defaults,
})
