import { asRecordId, type RecordId } from '../../shared/model/ids.ts'
import { createKnownRows } from './known-rows.ts'
import {
  byPosition,
  entryOf,
  isShown,
  Row,
  VersionRow,
  type Addressee,
  type Entry,
  type ListedSubmission,
  type Place,
  type Sharing,
  type Statements,
} from './submission-rows.ts'
import { createTitles } from './planned-submission.ts'
import { createStateReader } from './submission-state.ts'

export type SubmissionLine = {
  /** This process has written the row. */
  readonly reread: (id: RecordId) => void
  /** This process has just made the row. */
  readonly add: (entry: Entry) => void
  /** This process has just made many rows, the first one at this position: they are read little by little. */
  readonly unread: (from: number) => void
  /** Reads everything again: many rows were written, or what was written was taken back. */
  readonly distrust: () => void
  readonly get: (id: RecordId) => ListedSubmission | undefined
  /** All that have not been accepted, in the order of sending. */
  readonly unaccepted: () => readonly ListedSubmission[]
  /** As `unaccepted`, but what has not been read yet is missing, or as it was. */
  readonly unacceptedSoFar: () => readonly ListedSubmission[]
  /** False while `unacceptedSoFar` is not all of them. */
  readonly isWhole: () => boolean
  /** All rows that were not removed, accepted ones too; each page is read when it is asked for. */
  readonly pages: () => Iterable<readonly ListedSubmission[]>
  /**
   * The first that may be sent; undefined also where something that is not read yet may stand before it. `onRead` tells when
   * to ask again.
   */
  readonly due: (now: number, to: Addressee | undefined) => ListedSubmission | undefined
  /** Of what has been read. */
  readonly nextTime: (to: Addressee | undefined) => number | undefined
}

export type SubmissionLineDeps = {
  readonly sql: Statements
  /** Runs something in a later turn of the loop. */
  readonly later: (run: () => void) => void
  /** More has been read, in a turn of its own. */
  readonly onRead: () => void
}

/** Before all others. */
const START: Place = { position: -Infinity, id: asRecordId('') }

/** So many are read and parsed in less than one frame of the screen. */
const PAGE = 50

/**
 * The rows in the order of sending, kept in memory beside the file, so that a line of ten thousand costs no more for each
 * submission than a line of ten. They are read page by page, each in a turn of the loop of its own; who needs them all at
 * once reads to the end. Other processes may write to the same file: SQLite counts what they have committed, and then the
 * pages are read again.
 */
export function createSubmissionLine({ sql, later, onRead }: SubmissionLineDeps): SubmissionLine {
  const known = createKnownRows()
  const sharing: Sharing = { titleOf: createTitles(), stateIn: createStateReader() }
  let version: number | undefined
  /** Everything up to here is as it is in the file; null: all of it is. */
  let readUpTo: Place | 'nothing' | null = 'nothing'
  let isReadingOn = false

  const entryFrom = (row: Row): Entry => entryOf(row, known.get(row.id), sharing)

  /** Of a page that is full, the last place; more may stand behind it. */
  function pageAfter({ position, id }: Place): { entries: readonly Entry[]; last: Place | undefined } {
    const rows = sql.page.all({ position, id, limit: PAGE }).map((row) => Row.parse(row))
    const last = rows.length < PAGE ? undefined : rows.at(-1)
    return {
      entries: rows.filter(isShown).map(entryFrom),
      last: last === undefined ? undefined : { position: last.position, id: asRecordId(last.id) },
    }
  }

  function* pages(): Generator<readonly ListedSubmission[]> {
    for (let from: Place | undefined = START; from !== undefined;) {
      const page = pageAfter(from)
      yield page.entries.flatMap(({ submission, isRemoved }) => (isRemoved ? [] : submission))
      from = page.last
    }
  }

  /** Reads the next page, and forgets what stood there and is gone. */
  function readPage(): void {
    const from = readUpTo === 'nothing' || readUpTo === null ? START : readUpTo
    const { entries, last } = pageAfter(from)
    known.replace(from, last, entries)
    readUpTo = last ?? null
  }

  /** Begins anew where another process has written since. */
  function refresh(): void {
    const now = VersionRow.parse(sql.version.get()).data_version
    if (now !== version) readUpTo = 'nothing'
    version = now
    if (readUpTo === 'nothing') readPage()
    if (readUpTo !== null) readOn()
  }

  function readOn(): void {
    if (isReadingOn) return
    isReadingOn = true
    later(() => {
      isReadingOn = false
      if (readUpTo === null) return
      readPage()
      onRead()
      if (readUpTo !== null) readOn()
    })
  }

  function readToTheEnd(): void {
    refresh()
    while (readUpTo !== null) readPage()
  }

  function reread(id: RecordId): void {
    const found = sql.get.get(id)
    const row = found === undefined ? undefined : Row.parse(found)
    if (row === undefined || !isShown(row)) known.drop(id)
    else known.put(entryFrom(row))
  }

  /** Whether nothing that is not read yet can stand before it. */
  const isRead = (submission: ListedSubmission): boolean =>
    readUpTo === null || (readUpTo !== 'nothing' && byPosition(submission, readUpTo) <= 0)

  return {
    reread,
    add: (entry) => known.put(entry),
    unread(from) {
      const before: Place = { position: from, id: asRecordId('') }
      if (readUpTo === null || (readUpTo !== 'nothing' && byPosition(before, readUpTo) < 0)) readUpTo = before
    },
    distrust: () => void (version = undefined),
    get(id) {
      refresh()
      if (readUpTo !== null) reread(id)
      const entry = known.get(id)
      return entry === undefined || entry.isRemoved ? undefined : entry.submission
    },
    unaccepted() {
      readToTheEnd()
      return known.unaccepted()
    },
    unacceptedSoFar() {
      refresh()
      return known.unaccepted()
    },
    isWhole() {
      refresh()
      return readUpTo === null
    },
    pages,
    due(now, to) {
      refresh()
      const first = known.lanes.due(now, to)
      return first !== undefined && isRead(first) ? first : undefined
    },
    nextTime(to) {
      refresh()
      return known.lanes.nextTime(to)
    },
  }
}
