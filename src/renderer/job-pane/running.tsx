import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { ActiveJob, RecordDetails } from '../../shared/model/work.ts'
import { contentCount, jobLine, phaseWord, shortPath, workName } from '../../shared/i18n/index.ts'
import type { CommonWording } from '../../shared/i18n/index.ts'
import type { WindowWords } from '../../shared/i18n/window-i18n.ts'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { useApp, useWords } from '../store/app.ts'
import { Facts } from './facts.tsx'
import { InputList } from './input-list.tsx'
import { Results } from './results.tsx'
import { Summary, TargetLine } from './summary.tsx'

type RunningProps = { readonly job: ActiveJob; readonly details: RecordDetails | null }

/** A job that the service has and that is not over: up next, running, being cancelled, uploading. */
export function Running({ job, details }: RunningProps) {
  const { w, wording } = useWords()
  const { stage } = job
  switch (stage.kind) {
    case 'queued':
      return (
        <>
          <Summary state="next" says={w.details.queued({ place: wording.ordinal(stage.position) })}>
            <p class="sub">{w.details.queuedHint}</p>
            {job.origin === 'other' && <p class="sub">{w.details.otherApp}</p>}
          </Summary>
          <Inputs job={job} details={details} />
        </>
      )
    case 'processing':
    case 'cancelling':
      return (
        <>
          <Work job={job} />
          <Inputs job={job} details={details} />
        </>
      )
    case 'uploading':
      return <Uploading job={job} details={details} />
  }
}

function Work({ job }: { readonly job: ActiveJob }) {
  const app = useApp()
  const { w, wording } = useWords()
  const { progress } = job
  const cancelling = job.stage.kind === 'cancelling'
  useSpokenProgress(job)
  return (
    <div class="running">
      <div class="top">
        <p class="clip">{cancelling ? jobLine(job, wording) : longActivity(job, w, wording)}</p>
        {progress.share !== null && !cancelling ? (
          <span class="share">{wording.percent(progress.share)}</span>
        ) : (
          job.driveInput !== null &&
          progress.totalFiles === null && <span class="hint">{w.details.countedLater}</span>
        )}
      </div>
      <ProgressBar
        class="tall"
        share={cancelling ? null : progress.share}
        label={progress.share === null ? w.details.progressUnknown : w.details.progress}
      />
      <div class="bottom num">
        <span class="clip">
          {progress.fileName ??
            (job.driveInput !== null && progress.totalFiles === null ? w.details.noFilesYet : '')}
        </span>
        <Times startedAt={job.startedAt} timeLeft={cancelling ? null : progress.timeLeft} now={app.now} />
      </div>
    </div>
  )
}

/** "Resizing file 7 of 24" */
function longActivity(job: ActiveJob, w: WindowWords, wording: CommonWording): string {
  const { phase, currentFile, totalFiles } = job.progress
  const word = phaseWord(phase, wording)
  return currentFile !== null && totalFiles !== null && totalFiles > 1
    ? w.rows.ofFilesLong({ phase: word, current: currentFile, total: totalFiles })
    : word
}

type TimesProps = {
  readonly startedAt: number | null
  readonly timeLeft: number | null
  readonly now: () => number
}

/** "1 min 08 s so far, about 2 min left"; counts on by itself. */
function Times({ startedAt, timeLeft, now }: TimesProps) {
  const { w, wording } = useWords()
  const at = useSignal(now())
  useEffect(() => {
    const timer = setInterval(() => {
      at.value = now()
    }, 1_000)
    return () => clearInterval(timer)
  }, [])
  const soFar =
    startedAt === null
      ? []
      : [wording.say('time.soFar', { time: wording.duration(Math.max(0, at.value - startedAt)) })]
  const left = timeLeft === null ? [] : [wording.timeLeft(timeLeft)]
  const [first, second] = [...soFar, ...left]
  if (first === undefined) return null
  return <span>{second === undefined ? first : w.common.and({ first, second })}</span>
}

/** The progress is said at the start and at half, not at each tick; the end is said by the window. */
function useSpokenProgress(job: ActiveJob): void {
  const app = useApp()
  const half = (job.progress.share ?? 0) >= 0.5
  useEffect(() => {
    const w = app.words.peek().announcements
    const name = workName(job, app.wording.peek())
    app.announcer.say(half ? w.half({ name }) : w.started({ name }))
  }, [job.id, half])
}

function Inputs({ job, details }: RunningProps) {
  const app = useApp()
  const { w, wording } = useWords()
  if (job.driveInput !== null) return <Asked job={job} />
  if (details === null || details.inputs.length === 0) return null
  const done = job.progress.completedFiles ?? job.doneFiles.length
  const preset = job.preset ?? w.common.basicDefaults
  const running = job.stage.kind !== 'queued'
  return (
    <section class="section">
      <header>
        <h2>
          {w.details.files}{' '}
          <span class="num">
            {running
              ? w.details.filesDone({
                  done: Math.min(done, details.inputs.length),
                  all: details.inputs.length,
                })
              : wording.number(details.inputs.length)}
          </span>
        </h2>
        <p class="hint clip">
          {job.output?.kind === 'folder'
            ? w.details.toFolder({ preset, folder: shortPath(job.output.path, app.facts.homeFolder) })
            : preset}
        </p>
      </header>
      <InputList inputs={details.inputs} {...(running ? { job } : {})} />
    </section>
  )
}

/** A Drive folder has no files here to be listed: what was asked for stands in their place. */
function Asked({ job }: { readonly job: ActiveJob }) {
  const app = useApp()
  const { w } = useWords()
  return (
    <section class="section">
      <header>
        <h2>{w.details.asked}</h2>
      </header>
      <dl class="facts">
        <dt>{w.facts.input}</dt>
        <dd class="mono pick">{w.common.driveFolder({ id: job.driveInput ?? '' })}</dd>
        {job.output && (
          <>
            <dt>{w.facts.saveTo}</dt>
            <dd class="pick">
              {job.output.kind === 'folder'
                ? shortPath(job.output.path, app.facts.homeFolder)
                : w.common.driveFolder({ id: job.output.folderId })}
            </dd>
          </>
        )}
        <dt>{w.facts.preset}</dt>
        <dd>{job.preset ?? w.common.basicDefaults}</dd>
        <dt>{w.facts.variations}</dt>
        <dd>{w.details.forEach({ count: job.variations })}</dd>
      </dl>
    </section>
  )
}

function Uploading({ job, details }: RunningProps) {
  const { w, wording } = useWords()
  return (
    <>
      <Summary state="uploading" says={wording.say('stage.uploading')}>
        <p class="sub">
          {w.details.uploading({ what: contentCount(job, wording) ?? workName(job, wording) })}
        </p>
        <TargetLine work={job} saved={false} />
      </Summary>
      <ProgressBar share={null} class="tall apart" label={w.details.uploadingBar} />
      {details !== null && <Results details={details} uploading />}
      {details !== null && <Facts details={details} open />}
    </>
  )
}
