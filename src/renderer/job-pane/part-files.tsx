import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { RecordId } from '../../shared/model/ids.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { Part, PartAt, PartDetails } from '../../shared/model/job.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { showNewJob, unlessNavigated } from '../store/navigation.ts'
import { Facts } from './facts.tsx'
import { InputList, ProblemList } from './file-lists.tsx'
import { ResultList } from './results.tsx'
import { UnsurePart } from './unsure.tsx'

/**
 * Reads the details of several parts of a job, in this order, and again with each revision. null until they are read, and for
 * removed ones.
 */
export function useDetailsOf(
  ids: readonly RecordId[],
  revision: string,
): readonly (PartDetails | null)[] | null {
  const app = useApp()
  const read = useSignal<readonly (PartDetails | null)[] | null>(null)
  useEffect(() => {
    let isCurrent = true
    void app.attempt(Promise.all(ids.map((id) => app.bridge.work.details(id)))).then((details) => {
      if (isCurrent && details !== undefined) read.value = details
    })
    return () => {
      isCurrent = false
    }
  }, [ids.join(' '), revision])
  return read.value
}

/** Changes when the part's details may have changed. */
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

/** The files of one part: waiting, being processed, or with their problems and results. */
export function PartFiles({ part }: { readonly part: Part }) {
  const { state } = useApp()
  const [details = null] = useDetailsOf([part.id], revisionOf(part, state.historyVersion.value)) ?? []
  if (part.at === 'outbox' && part.state.kind === 'unknown') return <UnsurePart part={part} />
  if (details === null) return null
  if (part.at === 'outbox') return <UnsentFiles part={part} inputs={details.inputs} />
  if (part.at === 'history') return <EndedFiles details={details} />
  if (part.stage.kind === 'queued') return <InputList inputs={details.inputs} />
  if (part.stage.kind === 'uploading') {
    return <ResultList details={details} results={details.results} uploading />
  }
  return <FilesAtWork part={part} inputs={details.inputs} />
}

type UnsentFilesProps = { readonly part: PartAt<'outbox'>; readonly inputs: readonly MediaItem[] }

function UnsentFiles({ part, inputs }: UnsentFilesProps) {
  const app = useApp()
  const t = useTranslation()
  const { state, id } = part
  if (state.kind !== 'refused') return <InputList inputs={inputs} />
  return (
    <>
      {state.skipped.length > 0 && <ProblemList problems={state.skipped} inputs={inputs} />}
      <p class="hint">{t.group.refusedPart}</p>
      <div class="control-row wrap">
        <Button
          label={t.actions.remove}
          onPress={() => void app.attempt(app.bridge.work.cancel({ id, scope: 'part' }))}
        />
        <Button label={t.group.tryPart} icon="retry" onPress={() => void again()} />
      </div>
    </>
  )

  /** Opens a new draft with the refused files. The refused part stays until the user removes it. */
  async function again(): Promise<void> {
    const ifStillHere = unlessNavigated(app)
    const isDone = await app.attempt(app.bridge.work.runAgain({ id, scope: 'part' }).then(() => true))
    if (isDone) ifStillHere(() => showNewJob(app))
  }
}

/** A list that is at most this long is shown completely. */
const SHORT = 8
/** The current file and those that follow it. */
const NEXT_SHOWN = 3

/** The finished files, folded; the current file with the next two; and how many more there are. */
function FilesAtWork({
  part,
  inputs,
}: {
  readonly part: PartAt<'service'>
  readonly inputs: readonly MediaItem[]
}) {
  const t = useTranslation()
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
  const show = showsDone.value ? t.newJob.showFewer : t.group.show
  return (
    <>
      {finished.length > 0 && (
        <p class="list-fold">
          <Icon name="check" class="status-icon success" />
          <span class="numeric">{t.group.done({ count: finished.length })}</span>
          <LinkButton
            label={show}
            name={`${show}: ${t.group.done({ count: finished.length })}`}
            onPress={() => {
              showsDone.value = !showsDone.value
            }}
          />
        </p>
      )}
      {showsDone.value && <InputList inputs={finished} running={part} />}
      <InputList inputs={shown} running={part} />
      <MoreFiles
        count={more}
        onShow={() => {
          showsRest.value = true
        }}
      />
    </>
  )
}

/** Number of results shown below the problems before the others are requested. */
const RESULTS_SHOWN = 3

function EndedFiles({ details }: { readonly details: PartDetails }) {
  const showsAll = useSignal(false)
  const { problems, results, inputs } = details
  const isShort = results.length <= SHORT && problems.length === 0
  const shown = showsAll.value || isShort ? results : results.slice(0, RESULTS_SHOWN)
  return (
    <>
      {problems.length > 0 && <ProblemList problems={problems} inputs={inputs} />}
      {shown.length > 0 && <ResultList details={details} results={shown} />}
      <MoreFiles
        count={results.length - shown.length}
        onShow={() => {
          showsAll.value = true
        }}
      />
      <Facts details={details} />
    </>
  )
}

function MoreFiles({ count, onShow }: { readonly count: number; readonly onShow: () => void }) {
  const t = useTranslation()
  if (count === 0) return null
  return (
    <p class="list-fold">
      <span class="numeric">{t.group.more({ count })}</span>
      <LinkButton label={t.group.show} name={t.newJob.showAll({ count })} onPress={onShow} />
    </p>
  )
}
