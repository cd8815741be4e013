import type { PartDetails, ResultFile } from '../../shared/model/job.ts'
import { resultKindOf } from '../../shared/media-types.ts'
import { IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows, type RowPlace } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useViewTranslation, type App, useView } from '../store/app.ts'
import { connectionOf } from '../store/services.ts'
import { showSaved } from '../store/toasts.ts'
import { keptBelow } from '../../shared/i18n/sentences.ts'
import { baseName } from '../../shared/paths.ts'
import { inputOf, useSizes } from './compare.tsx'
import { SizeChange } from './size-change.tsx'
import { Section } from './summary.tsx'

/** The results. Each can be opened, shown in its folder or dragged to another app. */
export function Results(props: { readonly details: PartDetails; readonly uploading?: boolean }) {
  const { details, uploading = false } = props
  const { app, t } = useView()
  const { results } = details
  const sizes = useSizes(results.map(({ outputPath }) => outputPath))
  if (results.length === 0) return null
  const onKey = (result: ResultFile, event: KeyboardEvent): boolean => {
    if (event.key !== 'Enter') return false
    open(app, result)
    return true
  }
  return (
    <Section
      title={t.details.results}
      count={t.number(results.length)}
      end={!uploading && <p class="hint hide-narrow">{t.details.dragOut}</p>}
      compact
    >
      <RovingRows
        class="file-list"
        items={results}
        rowHeight={40}
        label={t.details.results}
        onKey={onKey}
        row={(result, place) => (
          <ResultRow
            key={result.outputPath}
            result={result}
            details={details}
            size={sizes.value.get(result.outputPath)}
            uploading={uploading}
            place={place}
          />
        )}
      />
    </Section>
  )
}

const open = (app: App, { outputPath }: ResultFile): void =>
  void app.attempt(app.bridge.files.open(outputPath))

async function saveResult(app: App, details: PartDetails, { index }: ResultFile): Promise<void> {
  showSaved(app, await app.attempt(app.bridge.jobs.saveResult({ id: details.id, index })))
}

type ResultRowProps = {
  readonly result: ResultFile
  readonly details: PartDetails
  /** Bytes. null if the file doesn't exist, undefined until it has been checked. */
  readonly size: number | null | undefined
  readonly uploading: boolean
  readonly place: RowPlace
}

function ResultRow({ result, details, size, uploading, place }: ResultRowProps) {
  const { app, t } = useView()
  const there = typeof size === 'number'
  const kind = resultKindOf(result.outputPath)
  // A service in a container saves its results outside this computer's folders. Results can be downloaded until the service removes
  // the job.
  const isRemote = size === null && !connectionOf(app, details).seesFiles
  return (
    <li
      class="file-row"
      {...place}
      draggable={there}
      onDragStart={(event) => {
        event.preventDefault()
        void app.attempt(app.bridge.files.startDrag([result.outputPath]))
      }}
      onDblClick={() => there && open(app, result)}
    >
      <Thumbnail
        path={size === null || kind === 'audio' ? null : result.outputPath}
        video={kind === 'video'}
        icon={kind === 'audio' ? 'audio' : undefined}
        small
      />
      <Name name={baseName(result.outputPath)} />
      <span class="file-size">
        {uploading ? (
          t.details.uploadingWord
        ) : (
          <ResultSize result={result} details={details} size={size} isRemote={isRemote} />
        )}
      </span>
      <span class="file-row-end">
        {there && (
          <>
            <IconButton
              icon="reveal"
              label={t.actions.showInFolder}
              skipTab={place.tabIndex !== 0}
              onPress={() => void app.attempt(app.bridge.files.reveal(result.outputPath))}
            />
            <IconButton
              icon="open"
              label={t.actions.open}
              skipTab={place.tabIndex !== 0}
              onPress={() => open(app, result)}
            />
          </>
        )}
        {isRemote && (
          <IconButton
            icon="up"
            label={t.actions.saveAs}
            skipTab={place.tabIndex !== 0}
            onPress={() => void saveResult(app, details, result)}
          />
        )}
      </span>
    </li>
  )
}

/** "4.1 MB → 612 kB −85%", or a note that the result no longer exists or that the original was kept for its quality. */
function ResultSize(
  props: Pick<ResultRowProps, 'result' | 'details' | 'size'> & { readonly isRemote: boolean },
) {
  const { result, details, size, isRemote } = props
  const t = useViewTranslation()
  if (size === undefined) return null
  // Don't call results of other clients' jobs missing: only the client that submitted a job knows where they are.
  const isSilent = isRemote || details.origin === 'other'
  if (size === null) return <>{isSilent ? '' : t.details.noLongerThere}</>
  const kept = keptBelow(result.quality, t)
  if (kept !== undefined) return <span title={kept}>{kept}</span>
  const before = inputOf(details, result)?.size ?? 0
  return <SizeChange before={before > 0 ? before : null} now={size} />
}
