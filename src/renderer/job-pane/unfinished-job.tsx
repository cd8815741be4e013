import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Job, PartAt, PartDetails, PartTitle } from '../../shared/model/job.ts'
import { currentPart, runningPart, stateOf, stateOfPart, titleOf } from '../../shared/model/job-state.ts'
import { shareOf, timeLeftOf } from '../../shared/model/job-progress.ts'
import { contentCount, jobName } from '../../shared/i18n/names.ts'
import { activity } from '../../shared/i18n/activity.ts'
import { lineOf, outboxLine, presetName } from '../../shared/i18n/sentences.ts'
import { shownText } from '../../shared/paths.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useViewTranslation, useView } from '../store/app.ts'
import { longActivity } from './long-activity.ts'
import { Summary, TargetLine } from './summary.tsx'
import { Held, Queued, Waiting } from './waiting.tsx'

type UnfinishedJobProps = {
  readonly job: Job
  /** The details of the first part; null until loaded. */
  readonly details: PartDetails | null
}

export function UnfinishedJob({ job, details }: UnfinishedJobProps) {
  const t = useViewTranslation()
  const state = stateOf(job)
  if (state === 'now') return <Progress job={job} details={details} />
  const part = currentPart(job)
  if (part.at === 'history') return <Summary state={state} text={lineOf(job, t)} />
  if (part.at === 'outbox') return <Unsent job={job} part={part} />
  return part.stage.kind === 'queued' ? <Queued job={job} part={part} /> : <Uploading job={job} />
}

/** A job with a part that the service hasn't accepted: it waits, is being sent, or needs the user's decision. */
function Unsent({ job, part }: { readonly job: Job; readonly part: PartAt<'outbox'> }) {
  const t = useViewTranslation()
  const { state } = part
  switch (state.kind) {
    case 'waiting':
      return <Waiting job={job} state={state} />
    case 'sending': {
      const { upload } = state
      return (
        <>
          <Summary state="sending" text={outboxLine(part, t)}>
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
      const count = job.parts.filter((one) => stateOfPart(one) === 'refused').length
      const isAll = count === part.place.parts
      return (
        <Summary state="refused" text={isAll ? outboxLine(part, t) : t.parts.partsRefused({ count })}>
          <p class="summary-line">{isAll ? t.details.refusedHint : t.parts.decideBelow}</p>
        </Summary>
      )
    }
    case 'unknown':
      return (
        <Summary state="unsure" text={state.checking ? t.rows.checking : t.details.unsure}>
          <p class="summary-line">{t.parts.decideBelow}</p>
        </Summary>
      )
  }
}

/** The progress of all parts together. */
function Progress({ job, details }: UnfinishedJobProps) {
  const t = useViewTranslation()
  const running = runningPart(job)
  const share = shareOf(job)
  const isCancelling = running?.stage.kind === 'cancelling'
  const isUncounted =
    running !== undefined && running.driveInput !== null && running.progress.totalFiles === null
  useProgressAnnouncements(titleOf(job), share)
  return (
    <div class="running-job">
      {running?.held !== undefined && <Held wait={running.held} isSent text={lineOf(job, t)} />}
      <div class="running-head">
        <p>{running?.held === undefined && doing()}</p>
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
          {shownText(running?.progress.fileName ?? (isUncounted ? t.details.noFilesYet : ''))}
        </span>
        <Times
          startedAt={details?.facts.startedAt ?? running?.startedAt ?? null}
          timeLeft={isCancelling ? null : timeLeftOf(job)}
        />
      </div>
    </div>
  )

  /** "Resizing file 7 of 24", "Web 2048: resizing 7 of 24" */
  function doing(): string {
    if (running === undefined || isCancelling) return lineOf(job, t)
    if (running.place.presets === 1) return longActivity(job, running, t)
    const words = activity(job, running, t)
    const inSentence = words.charAt(0).toLocaleLowerCase(t.locale) + words.slice(1)
    return t.parts.doing({ name: presetName(running.preset, t), doing: inSentence })
  }
}

/** "1 min 08 s so far, about 2 min left", updated every second. */
function Times(props: { readonly startedAt: number | null; readonly timeLeft: number | null }) {
  const { startedAt, timeLeft } = props
  const { app, t } = useView()
  const at = useSignal(app.now())
  useEffect(() => {
    const timer = setInterval(() => (at.value = app.now()), 1_000)
    return () => clearInterval(timer)
  }, [])
  const soFar =
    startedAt === null ? [] : [t.time.soFar({ time: t.duration(Math.max(0, at.value - startedAt)) })]
  const left = timeLeft === null ? [] : [t.timeLeft(timeLeft)]
  const [first, second] = [...soFar, ...left]
  if (first === undefined) return null
  return <span>{second === undefined ? first : t.phrases.and({ first, second })}</span>
}

/** Announces that the job has started or is half done: when its progress appears, and halfway. `app-events.ts` announces the outcome. */
function useProgressAnnouncements(title: PartTitle, share: number | null): void {
  const app = useApp()
  const half = (share ?? 0) >= 0.5
  useEffect(() => {
    const t = app.t.peek()
    const name = jobName(title, t)
    return app.announcer.say(
      half ? t.announcements.half({ name }) : t.announcements.started({ name }),
      'progress',
    )
  }, [title.id, half])
}

function Uploading({ job }: { readonly job: Job }) {
  const t = useViewTranslation()
  const title = titleOf(job)
  return (
    <>
      <Summary state="uploading" text={t.stage.uploading}>
        <p class="summary-line">
          {t.details.uploading({ what: contentCount(title, t) ?? jobName(title, t) })}
        </p>
        <TargetLine job={job} saved={false} />
      </Summary>
      <ProgressBar share={null} class="thick spaced" label={t.details.uploadingBar} />
    </>
  )
}
