/**
 * Notes about successful results. The API has no field for them (section 2) but leaves the text of `progress.phase` to the service.
 * At the end of a job, the built-in service writes each note there with the number of results it applies to. The app parses this
 * text.
 */

const WORDS = {
  /** The result wouldn't have been smaller, so it is an exact copy of the original. */
  'original-kept': 'original kept',
  /** The video stream already matched the recipe and wasn't re-encoded. */
  'pictures-copied': 'pictures copied',
  'hardware-encoder': 'graphics chip',
  'software-after-failure': 'graphics chip failed',
  /** The image was scaled below the recipe's dimensions to meet the maximum file size. */
  'shrunk-to-fit': 'shrunk to fit',
  'tone-mapped': 'tone-mapped',
  /** The file violates its format's specification, but its image is complete. */
  'flaws-passed-over': 'flaws in the file',
} as const

export type ResultNote = keyof typeof WORDS

/** The number of results that a note applies to. */
export type NoteCount = { readonly note: ResultNote; readonly results: number }

export const RESULT_NOTES = Object.keys(WORDS).filter((word): word is ResultNote => word in WORDS)

/** Appends the notes to a phase. @returns a text such as `Done` or `Done (original kept: 2, graphics chip: 1)` */
export function phaseWithNotes(phase: string, notes: Iterable<ResultNote>): string {
  const all = [...notes]
  const counted = RESULT_NOTES.map((note) => ({ note, results: all.filter((each) => each === note).length }))
  const said = counted
    .filter(({ results }) => results > 0)
    .map(({ note, results }) => `${WORDS[note]}: ${results}`)
  return said.length === 0 ? phase : `${phase} (${said.join(', ')})`
}

/** Parses the output of `phaseWithNotes`; empty for other services' texts. */
export function notesInPhase(phase: string | undefined): readonly NoteCount[] {
  const list = /^\w+ \((.+)\)$/.exec(phase ?? '')?.[1]
  if (list === undefined) return []
  return list.split(', ').flatMap((entry) => {
    const [words, count] = entry.split(': ')
    const note = RESULT_NOTES.find((each) => WORDS[each] === words)
    return note !== undefined && count !== undefined && /^[1-9]\d{0,6}$/.test(count)
      ? [{ note, results: Number(count) }]
      : []
  })
}
