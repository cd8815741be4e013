import type { ActiveJob, OutboxEntry, RecordDetails } from '../../shared/model/work.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { stateOf, type PartItem } from '../../shared/model/work-item.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { describe } from '../store/work-actions.ts'
import { Compare } from './compare.tsx'
import { Facts } from './facts.tsx'
import { InputSection, ProblemSection } from './file-lists.tsx'
import { LostInResult } from './lost.tsx'
import { Results } from './results.tsx'
import { Section } from './summary.tsx'

type OnlyPartProps = { readonly part: PartItem; readonly details: RecordDetails | null }

/** The files of a job with one part: its originals, problems, results and facts. */
export function OnlyPart({ part, details }: OnlyPartProps) {
  if (part.kind === 'outbox') return <Unsent entry={part.entry} details={details} />
  if (part.kind === 'record') return details !== null && <Ended details={details} />
  const { job } = part
  switch (job.stage.kind) {
    case 'queued':
      return <Inputs job={job} details={details} />
    case 'processing':
    case 'cancelling':
      return (
        <>
          <ProblemSection problems={job.problems} inputs={details?.inputs ?? []} />
          <Inputs job={job} details={details} />
        </>
      )
    case 'uploading':
      return (
        details !== null && (
          <>
            <Results details={details} uploading />
            <Facts details={details} open />
          </>
        )
      )
  }
}

type UnsentProps = { readonly entry: OutboxEntry; readonly details: RecordDetails | null }

function Unsent({ entry, details }: UnsentProps) {
  const t = useTranslation()
  const { inputs = [] } = details ?? {}
  const size = t.size(inputs.reduce((sum, input) => sum + input.size, 0))
  return (
    <>
      {entry.state.kind === 'refused' && <ProblemSection problems={entry.state.skipped} inputs={inputs} />}
      <InputSection work={entry} count={t.details.size({ count: inputs.length, size })} inputs={inputs} />
    </>
  )
}

type InputsProps = { readonly job: ActiveJob; readonly details: RecordDetails | null }

function Inputs({ job, details }: InputsProps) {
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

function Ended({ details }: { readonly details: RecordDetails }) {
  const state = stateOf({ kind: 'record', record: details })
  return (
    <>
      <LostInResult details={details} />
      {state === 'done' && <Compare details={details} />}
      <Problems details={details} />
      <Results details={details} />
      <Facts details={details} open={state !== 'done'} />
    </>
  )
}

function Problems({ details }: { readonly details: RecordDetails }) {
  const app = useApp()
  const t = useTranslation()
  const { problems, inputs } = details
  const item = { kind: 'record', record: details } as const
  if (stateOf(item) === 'failed')
    return <ProblemSection problems={problems} inputs={inputs} title={t.details.files} />
  const retry = describe(app, 'retry', item, details)
  return (
    <ProblemSection
      problems={problems}
      inputs={inputs}
      end={<Button label={retry.label} icon="retry" onPress={retry.run} />}
    />
  )
}
