/**
 * What is worth knowing of a result that was made as asked. The API has no field for it (section 2), and leaves the words of
 * `progress.phase` to the service: there the built-in service writes, at the end of a job, how many results each note holds for,
 * and the app reads it out again.
 */

const WORDS = {
  /** The result would not have been smaller, so that it has the bytes of the original. */
  'original-kept': 'original kept',
  /** The pictures of a video already were as the recipe wants them. */
  'pictures-copied': 'pictures copied',
  'hardware-encoder': 'graphics chip',
  'software-after-failure': 'graphics chip failed',
  /** The picture got fewer pixels than the recipe names, because it would not have fitted otherwise. */
  'shrunk-to-fit': 'shrunk to fit',
  'tone-mapped': 'tone-mapped',
  /** The file breaks the rules of its format, and its picture is whole all the same. */
  'flaws-passed-over': 'flaws in the file',
} as const

export type ResultNote = keyof typeof WORDS

/** For how many results of a job a note holds. */
export type NoteCount = { readonly note: ResultNote; readonly results: number }

export const RESULT_NOTES = Object.keys(WORDS).filter((word): word is ResultNote => word in WORDS)

/** @returns `Done`, or such as `Done (original kept: 2, graphics chip: 1)` */
export function phaseWithNotes(phase: string, notes: Iterable<ResultNote>): string {
  const all = [...notes]
  const counted = RESULT_NOTES.map((note) => ({ note, results: all.filter((each) => each === note).length }))
  const said = counted
    .filter(({ results }) => results > 0)
    .map(({ note, results }) => `${WORDS[note]}: ${results}`)
  return said.length === 0 ? phase : `${phase} (${said.join(', ')})`
}

/** What `phaseWithNotes` has written; none in the words of another service. */
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
