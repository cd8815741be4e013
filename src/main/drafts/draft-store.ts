/**
 * Holds the draft until it is started or cleared. The draft outlives the window and accepts files from all sources. The last removal or
 * replacement can be undone.
 */
import { randomUUID } from 'node:crypto'
import type { Draft, OtherFormat } from '../../shared/model/draft.ts'
import { fitToService } from '../../shared/model/built-in-only.ts'
import type { MediaItem, RejectedItem } from '../../shared/model/media-item.ts'
import {
  isEmpty,
  withFiles,
  withOptions,
  withOtherFormat,
  withoutFiles,
  withoutRejected,
  withoutStarted,
  type DraftOptions,
} from './draft-changes.ts'

/** Initial options of a new draft, from the settings. */
export type DraftDefaults = Pick<
  Draft,
  'presets' | 'choices' | 'output' | 'variations' | 'grouping' | 'done' | 'service'
>

export function createDraftStore(
  defaults: () => DraftDefaults,
  onChange: (draft: Draft) => void,
  takesBuiltInFormats: (draft: Draft) => boolean = () => true,
) {
  let draft = emptyDraft(defaults())
  let isBuiltIn = takesBuiltInFormats(draft)
  let before: Draft | undefined
  let key = randomUUID()

  function put(asked: Draft): void {
    const next = fitToService(asked, takesBuiltInFormats(asked))
    if (next === draft) return
    draft = next
    onChange(draft)
  }
  function putUndoable(next: Draft): void {
    if (next !== draft) before = draft
    put(next)
  }

  function applyDefaults(): void {
    if (isEmpty(draft) && draft.editing === null) put(emptyDraft(defaults()))
  }

  return {
    view: (): Draft => draft,
    /** Returns the idempotency key for starting this draft. The next draft gets a different key. */
    key: (): string => key,
    add: (items: readonly MediaItem[], rejected: readonly RejectedItem[]): void =>
      put(withFiles(draft, items, rejected)),
    change: (options: DraftOptions): void => put(withOptions(draft, options)),
    /** Gives some files another format. Undefined gives all files the preset's format again. */
    changeFormat: (other: OtherFormat | undefined): void => put(withOtherFormat(draft, other)),
    removeFiles: (paths: readonly string[]): void => putUndoable(withoutFiles(draft, paths)),
    removeRejected: (): void => putUndoable(withoutRejected(draft)),
    /** Clears the draft; `undo` restores it. */
    clear: (): void => putUndoable(emptyDraft(defaults())),
    undo(): void {
      if (before === undefined) return
      put(before)
      before = undefined
    },
    /** Replaces the draft, for example with a record to run again or a submission to edit. */
    open: (next: Draft): void => putUndoable({ ...next, choices: defaults().choices }),
    /** Replaces the draft once it was submitted with this key. Keeps files added since then, and clears the undo history. */
    started(startedKey: string, as: Draft): void {
      if (startedKey !== key) return
      before = undefined
      key = randomUUID()
      const left = draft === as ? undefined : withoutStarted(draft, as)
      put(left === undefined || isEmpty(left) ? emptyDraft(defaults()) : left)
    },
    /**
     * Checks again which of the draft's files its service supports. An empty draft gets new defaults if the kind of service has changed.
     */
    serviceChanged(): void {
      const wasBuiltIn = isBuiltIn
      isBuiltIn = takesBuiltInFormats(draft)
      if (isBuiltIn !== wasBuiltIn) applyDefaults()
      put(draft)
    },
    /** Call this when the submission that the draft would replace is gone. The draft then becomes a new submission. */
    replacesNothing: (): void => put({ ...draft, editing: null }),
    /** Applies new defaults to an empty draft. */
    defaultsChanged: applyDefaults,
  }
}

export const emptyDraft = (defaults: DraftDefaults): Draft => ({
  source: { kind: 'files', items: [] },
  rejected: [],
  editing: null,
  presetFolders: true,
  ...defaults,
})
