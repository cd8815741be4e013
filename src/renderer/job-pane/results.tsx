import type { RecordDetails, ResultFile } from '../../shared/model/work.ts'
import { mediaKindOf } from '../../shared/media-types.ts'
import { IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows, type RowPlace } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { showSaved } from '../store/toasts.ts'
import { baseName } from '../../shared/paths.ts'
import { inputOf, useSizes } from './compare.tsx'

type ResultsProps = { readonly details: RecordDetails; readonly uploading?: boolean }

/** What was made. Each result can be opened, shown in its folder and dragged into another app. */
export function Results({ details, uploading = false }: ResultsProps) {
  const app = useApp()
  const t = useTranslation()
  const { results } = details
  const sizes = useSizes(results.map(({ outputPath }) => outputPath))
  if (results.length === 0) return null
  const onKey = (index: number, event: KeyboardEvent): boolean => {
    const result = results[index]
    if (event.key !== 'Enter' || result === undefined) return false
    open(app, result)
    return true
  }
  return (
    <section class="section near">
      <header>
        <h2>
          {t.details.results} <span class="num">{t.number(results.length)}</span>
        </h2>
        {!uploading && <p class="hint hide-narrow">{t.details.dragOut}</p>}
      </header>
      <RovingRows
        class="list"
        count={results.length}
        rowHeight={40}
        label={t.details.results}
        onKey={onKey}
        row={(index, place) => {
          const result = results[index]
          return (
            result && (
              <ResultRow
                key={result.outputPath}
                result={result}
                details={details}
                size={sizes.value.get(result.outputPath)}
                uploading={uploading}
                place={place}
              />
            )
          )
        }}
      />
    </section>
  )
}

const open = (app: App, { outputPath }: ResultFile): void =>
  void app.attempt(app.bridge.files.open(outputPath))

async function saveResult(app: App, details: RecordDetails, { index }: ResultFile): Promise<void> {
  showSaved(app, await app.attempt(app.bridge.work.saveResult({ id: details.id, index })))
}

type ResultRowProps = {
  readonly result: ResultFile
  readonly details: RecordDetails
  /** Bytes; null when it is not there, undefined before it was looked at. */
  readonly size: number | null | undefined
  readonly uploading: boolean
  readonly place: RowPlace
}

function ResultRow({ result, details, size, uploading, place }: ResultRowProps) {
  const app = useApp()
  const t = useTranslation()
  const there = typeof size === 'number'
  // A service in a container has its results elsewhere; they can be had from it as long as it knows the job.
  const elsewhere = size === null && !app.state.connection.value.seesFiles
  return (
    <li
      class="item"
      {...place}
      draggable={there}
      onDragStart={(event) => {
        event.preventDefault()
        void app.attempt(app.bridge.files.startDrag([result.outputPath]))
      }}
      onDblClick={() => there && open(app, result)}
    >
      <Thumbnail
        path={size === null ? null : result.outputPath}
        video={mediaKindOf(result.outputPath) === 'video'}
        small
      />
      <Name name={baseName(result.outputPath)} />
      <span class="size">
        {uploading ? (
          t.details.uploadingWord
        ) : (
          <SizeChange result={result} details={details} size={size} elsewhere={elsewhere} />
        )}
      </span>
      <span class="ends">
        {there && (
          <>
            <IconButton
              icon="reveal"
              label={t.actions.showInFolder}
              onPress={() => void app.attempt(app.bridge.files.reveal(result.outputPath))}
            />
            <IconButton icon="open" label={t.actions.open} onPress={() => open(app, result)} />
          </>
        )}
        {elsewhere && (
          <IconButton
            icon="up"
            label={t.actions.saveAs}
            onPress={() => void saveResult(app, details, result)}
          />
        )}
      </span>
    </li>
  )
}

type SizeChangeProps = Pick<ResultRowProps, 'result' | 'details' | 'size'> & { readonly elsewhere: boolean }

/** "4.1 MB → 612 kB −85 %" */
function SizeChange({ result, details, size, elsewhere }: SizeChangeProps) {
  const t = useTranslation()
  if (size === undefined) return null
  // Where another client's results lie is known to that client alone.
  const isSilent = elsewhere || details.origin === 'other'
  if (size === null) return <>{isSilent ? '' : t.details.noLongerThere}</>
  const before = inputOf(details, result)?.size ?? 0
  const less = before > size ? Math.round((1 - size / before) * 100) : 0
  return (
    <>
      {before > 0 && <span class="was">{t.size(before)} → </span>}
      {t.size(size)}
      {less > 0 && <span class="less">&nbsp; −{t.percent(less / 100)}</span>}
    </>
  )
}
