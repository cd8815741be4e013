/**
 * Notes about successful results: how the built-in service made them. The API has no field for notes (section 2), so the service sends
 * them in an additional field. What a result lost isn't a note: see `loss/loss.ts`.
 */
export const RESULT_NOTES = [
  /** The result wouldn't have been smaller, so it is an exact copy of the original. */
  'original-kept',
  /** The quality would have been below the preset's limit, so the result has the pixels of the original. */
  'quality-too-low',
  /** The video track already matched the recipe and wasn't re-encoded. */
  'pictures-copied',
  /** The photo or video track couldn't be copied as the recipe asks, so it was encoded at high quality. */
  'encoded-instead',
  'hardware-encoder',
  'software-after-failure',
  /** The image was scaled below the recipe's dimensions to meet the maximum file size. */
  'shrunk-to-fit',
  'tone-mapped',
  /** An encoder doesn't support the recipe's bit rate, so the nearest supported bit rate was used. */
  'bit-rate-adapted',
  /** The file violates its format's specification, but its image is complete. */
  'flaws-passed-over',
] as const

export type ResultNote = (typeof RESULT_NOTES)[number]

export type NoteCount = { readonly note: ResultNote; readonly results: number }

export const countNotes = (all: readonly ResultNote[]): readonly NoteCount[] =>
  RESULT_NOTES.map((note) => ({ note, results: all.filter((each) => each === note).length })).filter(
    ({ results }) => results > 0,
  )
