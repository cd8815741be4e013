import type { Presets } from '../api/resources.ts'
import { partsOf, type PresetItems } from './draft-parts.ts'
import type { Draft } from './draft.ts'

/** What is known about the draft's files that earlier jobs have processed or created. */
export type DoneFiles =
  /** Files are being compared with earlier results. */
  | {
      readonly kind: 'checking'
      readonly files: number
      /** Files compared so far. */ readonly checked: number
    }
  | {
      readonly kind: 'known'
      /** Contains only files that are done or pending with a preset, or are results themselves, in the draft's order. */
      readonly done: readonly DoneFile[]
    }

export type DoneFile = {
  readonly path: string
  /** In bytes. */
  readonly size: number
  /** The draft's presets with which the file is done; null for the basic defaults. */
  readonly presets: readonly (string | null)[]
  /** Whether the file is done with each of the draft's presets that handle its kind. A draft that skips done files then skips it. */
  readonly isDone: boolean
  /** When the newest of its results was finished, ms since 1970; null if the file isn't done with any of the draft's presets. */
  readonly at: number | null
  /** Set if the file is itself a result of a job, with any preset. `at` is in ms since 1970. */
  readonly resultOf: { readonly preset: string | null; readonly at: number } | null
  /** The draft's presets that aren't in `presets`, but that an unfinished submission will apply to the file; missing if there are none. */
  readonly pending?: readonly (string | null)[]
  /** Whether the file is done or pending with each of the draft's presets that handle its kind; missing if none is pending. */
  readonly isPending?: boolean
}

/** Returns the files that each preset will process. Omits files that are already done if the draft skips them. */
export function partsToProcess(
  draft: Draft,
  presets: Presets | null,
  doneFiles: DoneFiles | null,
): readonly PresetItems[] {
  const parts = partsOf(draft, presets)
  if (draft.done === 'again' || doneFiles?.kind !== 'known') return parts
  const doneWith = new Map(doneFiles.done.map(({ path, presets: done }) => [path, done]))
  return parts
    .map(({ preset, items }) => ({
      preset,
      items: items.filter(({ path }) => doneWith.get(path)?.includes(preset) !== true),
    }))
    .filter(({ items }) => items.length > 0)
}
