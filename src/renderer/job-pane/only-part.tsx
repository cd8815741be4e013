import type { Part, PartAt, PartDetails } from '../../shared/model/job.ts'
import { jobOf, stateOfPart } from '../../shared/model/job-state.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { Button } from '../ui/button.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { describe } from '../store/job-actions.ts'
import { Compare } from './compare.tsx'
import { Facts } from './facts.tsx'
import { InputSection, ProblemSection } from './file-lists.tsx'
import { LostInResult } from './lost.tsx'
import { Results } from './results.tsx'
import { Section } from './summary.tsx'

type OnlyPartProps = { readonly part: Part; readonly details: PartDetails | null }

/** The files of a job with one part: its originals, problems, results and facts. */
export function OnlyPart({ part, details }: OnlyPartProps) {
  if (part.at === 'outbox') return <Unsent part={part} details={details} />
  if (part.at === 'history') return details !== null && <Ended details={details} />
  switch (part.stage.kind) {
    case 'queued':
      return <Inputs part={part} details={details} />
    case 'processing':
    case 'cancelling':
      return (
        <>
          <ProblemSection problems={part.problems} inputs={details?.inputs ?? []} />
          <Inputs part={part} details={details} />
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

type UnsentProps = { readonly part: PartAt<'outbox'>; readonly details: PartDetails | null }

function Unsent({ part, details }: UnsentProps) {
  const t = useTranslation()
  const { inputs = [] } = details ?? {}
  const size = t.size(inputs.reduce((sum, input) => sum + input.size, 0))
  return (
    <>
      {part.state.kind === 'refused' && <ProblemSection problems={part.state.skipped} inputs={inputs} />}
      <InputSection part={part} count={t.details.size({ count: inputs.length, size })} inputs={inputs} />
    </>
  )
}

type InputsProps = { readonly part: PartAt<'service'>; readonly details: PartDetails | null }

function Inputs({ part, details }: InputsProps) {
  const t = useTranslation()
  if (part.driveInput !== null) return <DriveRequest part={part} />
  if (details === null) return null
  const { inputs } = details
  const all = inputs.length
  if (part.stage.kind === 'queued') return <InputSection part={part} count={t.number(all)} inputs={inputs} />
  const done = Math.min(part.progress.completedFiles ?? part.doneFiles.length, all)
  return (
    <InputSection part={part} count={t.details.filesDone({ done, all })} inputs={inputs} running={part} />
  )
}

/** The request for a Drive folder, whose files can't be listed here. */
function DriveRequest({ part }: { readonly part: PartAt<'service'> }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <Section title={t.details.asked}>
      <dl class="facts">
        <dt>{t.facts.input}</dt>
        <dd class="mono selectable">{t.name.driveFolder({ id: part.driveInput ?? '' })}</dd>
        {part.output && (
          <>
            <dt>{t.facts.saveTo}</dt>
            <dd class="selectable">
              {part.output.kind === 'folder'
                ? shortPath(part.output.path, app.facts.homeFolder)
                : t.name.driveFolder({ id: part.output.folderId })}
            </dd>
          </>
        )}
        <dt>{t.facts.preset}</dt>
        <dd>{part.preset ?? t.phrases.basicDefaults}</dd>
        <dt>{t.facts.variations}</dt>
        <dd>{t.details.forEach({ count: part.variations })}</dd>
      </dl>
    </Section>
  )
}

function Ended({ details }: { readonly details: PartDetails }) {
  const state = stateOfPart(details)
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

function Problems({ details }: { readonly details: PartDetails }) {
  const app = useApp()
  const t = useTranslation()
  const { problems, inputs } = details
  if (stateOfPart(details) === 'failed')
    return <ProblemSection problems={problems} inputs={inputs} title={t.details.files} />
  const retry = describe(app, 'retry', jobOf([details]), details)
  return (
    <ProblemSection
      problems={problems}
      inputs={inputs}
      end={<Button label={retry.label} icon="retry" onPress={retry.run} />}
    />
  )
}
