import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ActiveJob, RecordDetails, WorkTitle } from '../../shared/model/work.ts'
import { contentCount, shortPath, workName } from '../../shared/i18n/names.ts'
import { jobLine, phaseWord } from '../../shared/i18n/sentences.ts'
import type { WindowTranslation } from '../../shared/i18n/i18n.ts'
import { shownText } from '../../shared/paths.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { Facts } from './facts.tsx'
import { InputSection, ProblemSection } from './file-lists.tsx'
import { Results } from './results.tsx'
import { Section, Summary, TargetLine } from './summary.tsx'
import { Held } from './waiting.tsx'

type RunningProps = { readonly job: ActiveJob; readonly details: RecordDetails | null }

/** A job that the service hasn't finished: queued, running, being canceled or uploading. */
export function Running({ job, details }: RunningProps) {
  const t = useTranslation()
  const { stage } = job
  switch (stage.kind) {
    case 'queued':
      if (job.held !== undefined)
        return (
          <>
            <Held wait={job.held} isSent />
            <Inputs job={job} details={details} />
          </>
        )
      return (
        <>
          <Summary state="next" text={t.details.queued({ place: t.ordinal(stage.position) })}>
            <p class="summary-line">{t.details.queuedHint}</p>
            {job.origin === 'other' && <p class="summary-line">{t.details.otherApp}</p>}
          </Summary>
          <Inputs job={job} details={details} />
        </>
      )
    case 'processing':
    case 'cancelling':
      return (
        <>
          <Work job={job} />
          <ProblemSection problems={job.problems} inputs={details?.inputs ?? []} />
          <Inputs job={job} details={details} />
        </>
      )
    case 'uploading':
      return <Uploading job={job} details={details} />
  }
}

function Work({ job }: { readonly job: ActiveJob }) {
  const app = useApp()
  const t = useTranslation()
  const { progress } = job
  const cancelling = job.stage.kind === 'cancelling'
  useProgressAnnouncements(job, progress.share)
  return (
    <div class="running-job">
      {job.held !== undefined && <Held wait={job.held} isSent text={jobLine(job, t)} />}
      <div class="running-head">
        <p class="truncate">
          {job.held === undefined && (cancelling ? jobLine(job, t) : longActivity(job, t))}
        </p>
        {progress.share !== null && !cancelling ? (
          <span class="percentage">{t.percent(progress.share)}</span>
        ) : (
          job.driveInput !== null &&
          progress.totalFiles === null && <span class="hint">{t.details.countedLater}</span>
        )}
      </div>
      <ProgressBar
        class="thick"
        share={cancelling ? null : progress.share}
        label={progress.share === null ? t.details.progressUnknown : t.details.progress}
      />
      <div class="running-foot numeric">
        <span class="truncate">
          {shownText(
            progress.fileName ??
              (job.driveInput !== null && progress.totalFiles === null ? t.details.noFilesYet : ''),
          )}
        </span>
        <Times startedAt={job.startedAt} timeLeft={cancelling ? null : progress.timeLeft} now={app.now} />
      </div>
    </div>
  )
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
export function Times({ startedAt, timeLeft, now }: TimesProps) {
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
export function useProgressAnnouncements(work: WorkTitle, share: number | null): void {
  const app = useApp()
  const half = (share ?? 0) >= 0.5
  useEffect(() => {
    const t = app.t.peek()
    const name = workName(work, t)
    app.announcer.say(half ? t.announcements.half({ name }) : t.announcements.started({ name }))
  }, [work.id, half])
}

function Inputs({ job, details }: RunningProps) {
  const t = useTranslation()
  if (job.driveInput !== null) return <DriveRequest job={job} />
  if (details === null) return null
  const { inputs } = details
  const all = inputs.length
  if (job.stage.kind === 'queued') return <InputSection work={job} count={t.number(all)} inputs={inputs} />
  const done = Math.min(job.progress.completedFiles ?? job.doneFiles.length, all)
  return <InputSection work={job} count={t.details.filesDone({ done, all })} inputs={inputs} job={job} />
}

/** The request for a Drive folder, whose files can't be listed here. */
function DriveRequest({ job }: { readonly job: ActiveJob }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <Section title={t.details.asked}>
      <dl class="facts">
        <dt>{t.facts.input}</dt>
        <dd class="mono selectable">{t.name.driveFolder({ id: job.driveInput ?? '' })}</dd>
        {job.output && (
          <>
            <dt>{t.facts.saveTo}</dt>
            <dd class="selectable">
              {job.output.kind === 'folder'
                ? shortPath(job.output.path, app.facts.homeFolder)
                : t.name.driveFolder({ id: job.output.folderId })}
            </dd>
          </>
        )}
        <dt>{t.facts.preset}</dt>
        <dd>{job.preset ?? t.phrases.basicDefaults}</dd>
        <dt>{t.facts.variations}</dt>
        <dd>{t.details.forEach({ count: job.variations })}</dd>
      </dl>
    </Section>
  )
}

function Uploading({ job, details }: RunningProps) {
  const t = useTranslation()
  return (
    <>
      <Summary state="uploading" text={t.stage.uploading}>
        <p class="summary-line">{t.details.uploading({ what: contentCount(job, t) ?? workName(job, t) })}</p>
        <TargetLine work={job} saved={false} />
      </Summary>
      <ProgressBar share={null} class="thick spaced" label={t.details.uploadingBar} />
      {details !== null && <Results details={details} uploading />}
      {details !== null && <Facts details={details} open />}
    </>
  )
}
