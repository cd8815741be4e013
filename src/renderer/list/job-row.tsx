import { useComputed, type ReadonlySignal } from '@preact/signals'
import { useState } from 'preact/hooks'
import { fineLossesIn } from '../../shared/loss/fine-losses.ts'
import { jobName, shortPath } from '../../shared/i18n/names.ts'
import { lineOf, lostWords } from '../../shared/i18n/sentences.ts'
import { shareOf } from '../../shared/model/job-progress.ts'
import { currentPart, stateOf, titleOf } from '../../shared/model/job-state.ts'
import { endOf, outcomeOfParts } from '../../shared/model/job-outcome.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Job, Part } from '../../shared/model/job.ts'
import { Icon } from '../ui/icon.tsx'
import { later, withViewWords } from '../store/later.tsx'
import { Marked, Name } from '../ui/name.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { loadedWords, type App, useWindow } from '../store/app.ts'
import { focusOnceShown } from '../store/focus.ts'
import { showDetails } from '../store/navigation.ts'
import { isElsewhere, shownService } from '../store/services.ts'
import { findJob, TEXT_TONES, signOf } from '../store/job-signs.ts'
import { isOverlayOpen } from '../store/overlays.ts'
import type { DateSection } from '../store/dates.ts'
import { canMove } from '../store/queue-moves.ts'
import { shiftOf, type Draggable } from './drag.ts'
import { isLive, type Row } from './list-layout.ts'

const RowActions = later(async () => (await import('./row-actions.tsx')).RowActions)
const DragHandle = later(async () => (await import('./row-actions.tsx')).DragHandle)

/** What all rows of the list have in common. */
export type ListContext = {
  /** Number of rows in the whole list; -1 if unknown. */
  readonly rowCount: number
  /** The job shown in the job pane; null if there is none. */
  readonly selected: RecordId | null
  /** Key of the row in the Tab order. */
  readonly tabbable: string | null
  /** Keys of the rows that have moved from another section and should fade in. */
  readonly moved: ReadonlySet<string>
  /** Search words to highlight. */
  readonly words: readonly string[]
  /** Whether the rows pass too fast to be seen. */
  readonly passing: ReadonlySignal<boolean>
  readonly list: Draggable
}

/** A row of the list: name and time, status, and a bar while the job runs. */
export function JobRow(
  props: ListContext & {
    readonly row: Row
    readonly job: Job
    /** The section of an ended job; null for unfinished jobs. */
    readonly dated: DateSection['kind'] | null
  },
) {
  const { row, job, dated, rowCount, selected, tabbable, moved, words, passing, list } = props
  const { app, t } = useWindow()
  const title = titleOf(job)
  const sign = signOf(app, job)
  const live = isLive(row.content)
  const time = timeOf(app, job, dated)
  const sentence = sentenceOf(app, job, words)
  // The line of a job that replaces originals counts those that were kept because of a loss, unless the user replaced them anyway.
  const lost =
    endOf(job).replaced === null
      ? lostWords(outcomeOfParts(job.parts), t, fineLossesIn(app.state.settings.value, title))
      : undefined
  const service = shownService(app, title)
  const name = jobName({ ...title, files: 1 }, t)
  const several = title.driveInput === null && (title.files ?? 1) > 1
  // The actions make up half of a row's elements, and the user never hovers over most rows. Render them on first use.
  const [reached, setReached] = useState(false)
  const reach = (): void => setReached(true)
  const isMovable = canMove(job) && (job.turn?.of ?? 1) > 1
  const shift = useComputed(() => shiftOf(list.drag.value, row.index)).value
  const isDragged = useComputed(() => list.drag.value?.from === row.index).value
  return (
    <li
      class="job-row-slot"
      aria-setsize={rowCount}
      aria-posinset={row.index + 1}
      data-moved={moved.has(row.key) ? '' : undefined}
      data-movable={isMovable ? '' : undefined}
      data-dragged={isDragged ? '' : undefined}
      data-shifted={shift === 0 ? undefined : ''}
      style={{ '--top': `${row.top}px`, '--height': `${row.height}px`, '--shift': `${shift}px` }}
      onPointerEnter={reach}
      onFocusIn={reach}
    >
      <button
        type="button"
        class="job-row"
        data-key={row.key}
        data-record={title.id}
        aria-current={title.id === selected ? 'true' : undefined}
        tabIndex={tabbable === row.key ? 0 : -1}
        onClick={(event) => {
          showDetails(app, title.id, true)
          // Enter and Space move the focus into the details.
          if (event.detail === 0) focusOnceShown('[data-region="main"] [data-scroller]')
        }}
        onContextMenu={(event) => {
          event.preventDefault()
          const { currentTarget, clientX: x, clientY: y } = event
          void withViewWords(app, import('./row-actions.tsx')).then((loaded) => {
            // Meanwhile, the job may have changed, and a dialog may have opened.
            const now = findJob(app, title.id)
            if (now !== undefined && !isOverlayOpen(app.overlays))
              loaded?.openRowMenu(app, now, currentTarget, { x, y })
          })
        }}
      >
        <span class={`thumbnail-stack ${several ? 'multiple' : ''}`}>
          <Thumbnail
            path={title.firstPath}
            video={title.videos > 0 && title.photos === 0}
            icon={title.driveInput === null ? undefined : 'drive'}
            passing={passing}
          />
        </span>
        <span class="row-text">
          <span class="job-row-title">
            <Name
              name={name}
              more={several ? t.name.more({ count: (title.files ?? 1) - 1 }) : null}
              marked={words}
            />
            <span class="job-row-time">{time}</span>
          </span>
          <span class="job-row-status">
            {sign && <Icon name={sign.icon} class={`status-icon ${sign.tone}`} />}
            <span class={`truncate ${TEXT_TONES[sign?.tone ?? '']}`}>
              <Marked text={sentence} words={words} />
            </span>
            {lost !== undefined && <span class="job-row-lost">· {lost}</span>}
            {service !== undefined && <span class="job-row-service truncate">· {service}</span>}
          </span>
          {live && <ProgressBar share={shareOf(job)} label={t.list.progress({ name })} />}
        </span>
      </button>
      {reached && <RowActions job={job} />}
      {reached && isMovable && <DragHandle job={job} list={list} />}
    </li>
  )
}

/** Returns the second line of a row. */
export function sentenceOf(app: App, job: Job, words: readonly string[]): string {
  const sentence = stateSentence(app, job, words)
  return titleOf(job).by === 'assistant' ? app.t.value.list.byAssistant({ sentence }) : sentence
}

function stateSentence(app: App, job: Job, words: readonly string[]): string {
  const t = loadedWords(app)
  const sentence = doubtIn(currentPart(job), t) ?? lineOf(job, t, isElsewhere(app, titleOf(job)))
  const { output, name } = titleOf(job)
  const folder = output?.kind === 'folder' ? shortPath(output.path, app.facts.homeFolder) : ''
  const foundThere = words.some(
    (word) => folder.toLocaleLowerCase().includes(word) && !name.toLocaleLowerCase().includes(word),
  )
  return foundThere ? t.list.inFolder({ folder, sentence }) : sentence
}

function doubtIn(part: Part, t: WindowTranslation): string | undefined {
  if (part.at !== 'outbox' || part.state.kind !== 'unknown') return undefined
  return part.state.checking ? t.rows.checking : t.rows.unsure
}

/** Returns the end of the first line: a percentage, a time or a date. */
export function timeOf(app: App, job: Job, dated: DateSection['kind'] | null): string {
  const t = app.t.value
  if (dated === null) {
    const share = shareOf(job)
    const part = currentPart(job)
    const isRunning = stateOf(job) === 'now' && !(part.at === 'service' && part.stage.kind === 'cancelling')
    return isRunning && share !== null ? t.percent(share) : ''
  }
  const { endedAt } = endOf(job)
  if (endedAt === null) return ''
  return dated === 'month' ? t.shortDay(endedAt) : t.timeOfDay(endedAt)
}
