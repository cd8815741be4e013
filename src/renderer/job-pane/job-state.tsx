import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ActiveJob, OutboxEntry, RecordDetails, WorkTitle } from '../../shared/model/work.ts'
import { runningJobIn, shareOf, timeLeftOf } from '../../shared/model/group-progress.ts'
import { currentPart, partsOf, stateOf, titleOf, type WorkItem } from '../../shared/model/work-item.ts'
import { contentCount, workName } from '../../shared/i18n/names.ts'
import { activity, lineOf, outboxLine, phaseWord, presetName } from '../../shared/i18n/sentences.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { shownText } from '../../shared/paths.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Summary, TargetLine } from './summary.tsx'
import { Held, Waiting } from './waiting.tsx'

type JobStateProps = {
  readonly item: WorkItem
  /** Of the first part; null until loaded. */
  readonly details: RecordDetails | null
}

/** What an unfinished job does or waits for. */
export function JobState({ item, details }: JobStateProps) {
  const t = useTranslation()
  const state = stateOf(item)
  if (state === 'now') return <Progress item={item} details={details} />
  const part = currentPart(item)
  if (part.kind === 'record') return <Summary state={state} text={lineOf(item, t)} />
  if (part.kind === 'outbox') return <Unsent item={item} entry={part.entry} rank={part.rank} of={part.of} />
  const { stage, held, origin } = part.job
  if (stage.kind !== 'queued') return <Uploading item={item} />
  if (held !== undefined) return <Held wait={held} isSent />
  return (
    <Summary state="next" text={t.details.queued({ place: t.ordinal(stage.position) })}>
      <p class="summary-line">{t.details.queuedHint}</p>
      {origin === 'other' && <p class="summary-line">{t.details.otherApp}</p>}
    </Summary>
  )
}

type UnsentProps = {
  readonly item: WorkItem
  readonly entry: OutboxEntry
  readonly rank: number
  readonly of: number
}

/** A job with a part that the service hasn't accepted: waiting, being sent or to be decided by the user. */
function Unsent({ item, entry, rank, of }: UnsentProps) {
  const t = useTranslation()
  const { state } = entry
  switch (state.kind) {
    case 'waiting':
      return <Waiting state={state} rank={rank} of={of} />
    case 'sending': {
      const { upload } = state
      return (
        <>
          <Summary state="sending" text={outboxLine(entry, rank, t)}>
            <p class="summary-line">
              {upload === null
                ? t.details.sendingHint
                : t.details.sendingUpload({ sent: t.size(upload.sent), all: t.size(upload.total) })}
            </p>
          </Summary>
          <ProgressBar
            share={upload === null || upload.total === 0 ? null : upload.sent / upload.total}
            class="thick spaced"
            label={t.details.progress}
          />
        </>
      )
    }
    case 'refused': {
      if (item.kind !== 'group') {
        return (
          <Summary state="refused" text={outboxLine(entry, rank, t)}>
            <p class="summary-line">{t.details.refusedHint}</p>
          </Summary>
        )
      }
      const count = item.parts.filter((part) => stateOf(part) === 'refused').length
      return (
        <Summary state="refused" text={t.group.partsRefused({ count })}>
          <p class="summary-line">{t.group.decideBelow}</p>
        </Summary>
      )
    }
    case 'unknown':
      return (
        <Summary state="unsure" text={state.checking ? t.rows.checking : t.details.unsure}>
          <p class="summary-line">{t.group.decideBelow}</p>
        </Summary>
      )
  }
}

/** The progress of all parts together. */
function Progress({ item, details }: JobStateProps) {
  const app = useApp()
  const t = useTranslation()
  const job = runningJobIn(partsOf(item))
  const share = shareOf(item)
  const isCancelling = job?.stage.kind === 'cancelling'
  const isUncounted = job !== undefined && job.driveInput !== null && job.progress.totalFiles === null
  useProgressAnnouncements(titleOf(item), share)
  return (
    <div class="running-job">
      {job?.held !== undefined && <Held wait={job.held} isSent text={lineOf(item, t)} />}
      <div class="running-head">
        <p class="truncate">{job?.held === undefined && doing()}</p>
        {share !== null && !isCancelling ? (
          <span class="percentage">{t.percent(share)}</span>
        ) : (
          isUncounted && <span class="hint">{t.details.countedLater}</span>
        )}
      </div>
      <ProgressBar
        class="thick"
        share={isCancelling ? null : share}
        label={share === null ? t.details.progressUnknown : t.details.progress}
      />
      <div class="running-foot numeric">
        <span class="truncate">
          {shownText(job?.progress.fileName ?? (isUncounted ? t.details.noFilesYet : ''))}
        </span>
        <Times
          startedAt={details?.facts.startedAt ?? job?.startedAt ?? null}
          timeLeft={isCancelling ? null : timeLeftOf(item)}
          now={app.now}
        />
      </div>
    </div>
  )

  /** "Resizing file 7 of 24", "Web 2048: resizing 7 of 24" */
  function doing(): string {
    if (job === undefined || isCancelling) return lineOf(item, t)
    if (item.kind !== 'group') return longActivity(job, t)
    const words = activity(job, t)
    const inSentence = words.charAt(0).toLocaleLowerCase(t.locale) + words.slice(1)
    return t.group.doing({ name: presetName(job.preset, t), doing: inSentence })
  }
}

/** "Resizing file 7 of 24" */
function longActivity(job: ActiveJob, t: WindowTranslation): string {
  const { phase, currentFile, totalFiles } = job.progress
  const word = phaseWord(phase, t)
  return currentFile !== null && totalFiles !== null && totalFiles > 1
    ? t.rows.ofFilesLong({ phase: word, current: currentFile, total: totalFiles })
    : word
}

type TimesProps = {
  readonly startedAt: number | null
  readonly timeLeft: number | null
  readonly now: () => number
}

/** "1 min 08 s so far, about 2 min left", updated every second. */
function Times({ startedAt, timeLeft, now }: TimesProps) {
  const t = useTranslation()
  const at = useSignal(now())
  useEffect(() => {
    const timer = setInterval(() => {
      at.value = now()
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  const soFar =
    startedAt === null ? [] : [t.time.soFar({ time: t.duration(Math.max(0, at.value - startedAt)) })]
  const left = timeLeft === null ? [] : [t.timeLeft(timeLeft)]
  const [first, second] = [...soFar, ...left]
  if (first === undefined) return null
  return <span>{second === undefined ? first : t.phrases.and({ first, second })}</span>
}

/** Announces when the job starts and when it is half done. The window announces its outcome. */
function useProgressAnnouncements(work: WorkTitle, share: number | null): void {
  const app = useApp()
  const half = (share ?? 0) >= 0.5
  useEffect(() => {
    const t = app.t.peek()
    const name = workName(work, t)
    app.announcer.say(half ? t.announcements.half({ name }) : t.announcements.started({ name }))
  }, [work.id, half])
}

function Uploading({ item }: { readonly item: WorkItem }) {
  const t = useTranslation()
  const title = titleOf(item)
  return (
    <>
      <Summary state="uploading" text={t.stage.uploading}>
        <p class="summary-line">
          {t.details.uploading({ what: contentCount(title, t) ?? workName(title, t) })}
        </p>
        <TargetLine work={title} parts={partsOf(item)} saved={false} />
      </Summary>
      <ProgressBar share={null} class="thick spaced" label={t.details.uploadingBar} />
    </>
  )
}
