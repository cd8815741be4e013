import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Part, PartAt, PartDetails } from '../../shared/model/job.ts'
import { jobOf, stateOfPart } from '../../shared/model/job-state.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { presetTitle, qualitySentence } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useViewTranslation, useView } from '../store/app.ts'
import { describe, thenShowDraft } from '../store/job-actions.ts'
import { Compare } from './compare.tsx'
import { Facts } from './facts.tsx'
import { InputList, InputSection, ProblemSection } from './file-lists.tsx'
import { LostInResult } from './lost.tsx'
import { Results } from './results.tsx'
import { Section } from './summary.tsx'
import { UnsurePart } from './unsure.tsx'

/**
 * Reads the details of several parts of a job, and reads them again when the revision changes.
 * @returns the details in the order of the IDs, each null if the part has been removed; null until they are read
 */
export function useDetailsOf(
  ids: readonly RecordId[],
  revision: string,
): readonly (PartDetails | null)[] | null {
  const app = useApp()
  const read = useSignal<readonly (PartDetails | null)[] | null>(null)
  useEffect(() => {
    let isCurrent = true
    void app.attempt(Promise.all(ids.map((id) => app.bridge.jobs.details(id)))).then((details) => {
      if (isCurrent && details !== undefined) read.value = details
    })
    return () => {
      isCurrent = false
    }
  }, [ids.join(' '), revision])
  return read.value
}

/** Returns text that changes whenever the part's details may have changed. */
function revisionOf(part: Part, historyVersion: number): string {
  switch (part.at) {
    case 'outbox':
      return part.state.kind
    case 'service':
      return `${part.stage.kind} ${part.doneFiles.length}`
    case 'history':
      return `record ${historyVersion}`
  }
}

export function FilesOfPart({ part }: { readonly part: Part }) {
  const { state } = useApp()
  const [details = null] = useDetailsOf([part.id], revisionOf(part, state.historyVersion.value)) ?? []
  return <PartFiles part={part} details={details} />
}

/** The files of a part: its originals, problems, results and facts. */
export function PartFiles(props: {
  readonly part: Part
  readonly details: PartDetails | null
  /** Whether it is the only part of the job. Otherwise it is in a section, which has less space and a heading. */
  readonly alone?: boolean
}) {
  const { part, details, alone = false } = props
  const t = useViewTranslation()
  if (part.at === 'outbox' && part.state.kind === 'unknown') return <UnsurePart part={part} />
  const { inputs = [] } = details ?? {}
  if (part.at === 'outbox') return <Unsent part={part} inputs={inputs} alone={alone} />
  if (part.at === 'service' && part.stage.kind !== 'uploading') {
    return (
      <>
        <ProblemSection problems={part.problems} inputs={inputs} />
        {part.driveInput === null ? (
          <Inputs part={part} inputs={inputs} alone={alone} />
        ) : (
          <DriveRequest part={part} />
        )}
      </>
    )
  }
  if (details === null) return null
  const isUploading = part.at === 'service'
  const isDone = stateOfPart(part) === 'done'
  // If the job has only one part, its summary already shows the quality.
  const quality = alone || isUploading ? undefined : qualitySentence(details.results, t)
  return (
    <>
      {quality !== undefined && <p class="hint">{quality}</p>}
      {!isUploading && <LostInResult details={details} />}
      {isDone && <Compare details={details} />}
      {!isUploading && <Problems details={details} alone={alone} />}
      <Results details={details} uploading={isUploading} />
      <Facts details={details} open={!isDone && alone} />
    </>
  )
}

type InputsProps<Where extends 'outbox' | 'service'> = {
  readonly part: PartAt<Where>
  readonly inputs: readonly MediaItem[]
  readonly alone: boolean
}

function Inputs({ part, inputs, alone }: InputsProps<'outbox' | 'service'>) {
  const t = useViewTranslation()
  const running = part.at === 'service' && part.stage.kind !== 'queued' ? part : undefined
  if (!alone)
    return running === undefined ? (
      <InputList inputs={inputs} />
    ) : (
      <FilesAtWork part={running} inputs={inputs} />
    )
  return <InputSection part={part} count={count()} inputs={inputs} running={running} />

  function count(): string {
    const { length: all } = inputs
    if (part.at === 'outbox')
      return t.details.size({ count: all, size: t.size(inputs.reduce((sum, { size }) => sum + size, 0)) })
    if (running === undefined) return t.number(all)
    const done = Math.min(running.progress.completedFiles ?? running.doneFiles.length, all)
    return t.details.filesDone({ done, all })
  }
}

function Unsent({ part, inputs, alone }: InputsProps<'outbox'>) {
  const { app, t } = useView()
  const { state, id } = part
  if (state.kind !== 'refused') return <Inputs part={part} inputs={inputs} alone={alone} />
  return (
    <>
      <ProblemSection problems={state.skipped} inputs={inputs} />
      {alone ? (
        <Inputs part={part} inputs={inputs} alone />
      ) : (
        <>
          <p class="hint">{t.parts.refusedPart}</p>
          <div class="control-row wrap">
            <Button
              label={t.actions.remove}
              onPress={() => void app.attempt(app.bridge.jobs.cancel({ id, scope: 'part' }))}
            />
            <Button label={t.parts.tryPart} icon="retry" onPress={again} />
          </div>
        </>
      )}
    </>
  )

  /** Opens a new draft with the refused files. The refused part stays until the user removes it. */
  function again(): void {
    void thenShowDraft(app, app.bridge.jobs.runAgain({ id, scope: 'part' }))
  }
}

/** The problems, with a retry button unless the part failed or is in a section. A section's heading has the button. */
function Problems({ details, alone }: { readonly details: PartDetails; readonly alone: boolean }) {
  const { app, t } = useView()
  const { problems, inputs } = details
  if (stateOfPart(details) === 'failed')
    return <ProblemSection problems={problems} inputs={inputs} title={t.details.files} />
  const retry = describe(app, 'retry', jobOf([details]), details)
  return (
    <ProblemSection
      problems={problems}
      inputs={inputs}
      end={alone && <Button label={retry.label} icon="retry" onPress={retry.run} />}
    />
  )
}

/** The request for a Drive folder, whose files can't be listed here. */
function DriveRequest({ part }: { readonly part: PartAt<'service'> }) {
  const { app, t } = useView()
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
        <dd>{presetTitle(part.preset, t)}</dd>
        <dt>{t.facts.variations}</dt>
        <dd>{t.details.forEach({ count: part.variations })}</dd>
      </dl>
    </Section>
  )
}

/** Maximum length of a list that is shown completely. */
const SHORT = 8
/** Number of unfinished files shown initially, starting with the current one. */
const NEXT_SHOWN = 3

/** The finished files, collapsed; the current file and the next two; and the number of other files. A short list is shown completely. */
function FilesAtWork(props: { readonly part: PartAt<'service'>; readonly inputs: readonly MediaItem[] }) {
  const { part, inputs } = props
  const t = useViewTranslation()
  const showsDone = useSignal(false)
  const showsRest = useSignal(false)
  if (inputs.length <= SHORT) return <InputList inputs={inputs} running={part} />
  const done = new Set(part.doneFiles)
  const finished = inputs.filter(({ name }) => done.has(name))
  const open = inputs.filter(({ name }) => !done.has(name))
  const at = Math.max(
    0,
    open.findIndex(({ name }) => name === part.progress.fileName),
  )
  const rest = [...open.slice(at), ...open.slice(0, at)]
  const shown = showsRest.value ? rest : rest.slice(0, NEXT_SHOWN)
  const more = rest.length - shown.length
  const show = showsDone.value ? t.newJob.showFewer : t.parts.show
  return (
    <>
      {finished.length > 0 && (
        <p class="list-fold">
          <Icon name="check" class="status-icon success" />
          <span class="numeric">{t.parts.done({ count: finished.length })}</span>
          <LinkButton
            label={show}
            name={t.labeled(show, t.parts.done({ count: finished.length }))}
            onPress={() => (showsDone.value = !showsDone.value)}
          />
        </p>
      )}
      {showsDone.value && <InputList inputs={finished} running={part} />}
      <InputList inputs={shown} running={part} />
      {more > 0 && (
        <p class="list-fold">
          <span class="numeric">{t.parts.more({ count: more })}</span>
          <LinkButton
            label={t.parts.show}
            name={t.newJob.showAll({ count: more })}
            onPress={() => (showsRest.value = true)}
          />
        </p>
      )}
    </>
  )
}
