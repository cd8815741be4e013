import { useState } from 'preact/hooks'
import { formatName, lossLabel, lossReasonText } from '../../shared/i18n/losses.ts'
import { extensionOf, namedKindOf } from '../../shared/media-types.ts'
import { formatThatKeeps, type KeepingFormat, type Loss } from '../../shared/loss/loss.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PartDetails, ResultFile } from '../../shared/model/job.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { baseName } from '../../shared/paths.ts'
import { fineLossesIn } from '../../shared/loss/fine-losses.ts'
import { useViewTranslation, useView } from '../store/app.ts'
import { callFine } from '../store/fine-losses.ts'
import { thenShowDraft } from '../store/job-actions.ts'
import { Button } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { inputOf } from './compare.tsx'
import { Section } from './summary.tsx'

type LostFile = {
  readonly path: string
  readonly name: string
  readonly loss: Loss
  readonly format: KeepingFormat | undefined
}

/** Minimum number of files that share a row if they lost the same thing. */
const FEWEST_IN_GROUP = 3

export function LostInResult({ details }: { readonly details: PartDetails }) {
  const { app, t } = useView()
  const fine = fineLossesIn(app.state.settings.value, details)
  const listed = (losses: readonly Loss[] = []) => losses.filter(({ code }) => !fine.includes(code))
  const lost = details.results.flatMap((result) =>
    listed(result.losses).map((loss): LostFile => {
      const input = inputOf(details, result)
      const path = input?.path ?? result.outputPath
      const format = input && keepingFormat(loss, input, result)
      return { path, name: baseName(path), loss, format }
    }),
  )
  if (lost.length === 0) return null
  const groups = [...Map.groupBy(lost, ({ loss }) => `${lossLabel(loss, t)} ${lossReasonText(loss, t)}`)]
  return (
    <Section
      title={t.details.lost}
      count={t.number(details.results.filter(({ losses }) => listed(losses).length > 0).length)}
      end={
        <p class="hint">
          {details.replacements.length > 0 ? t.details.originalsKept : t.details.originalsUnchanged}
        </p>
      }
      compact
    >
      <ul class="file-list">
        {groups.map(([what, group]) => (
          <LostFiles key={what} details={details} files={group} />
        ))}
      </ul>
    </Section>
  )
}

/** Opens a draft with these files in a format that keeps what was lost. */
export function UseFormat(props: {
  readonly id: RecordId
  readonly paths: readonly string[]
  readonly format: KeepingFormat | undefined
}) {
  const { id, paths, format } = props
  const { app, t } = useView()
  if (format === undefined) return null
  const use = (): void =>
    void thenShowDraft(app, app.bridge.jobs.useFormat({ id, paths: [...new Set(paths)], format }))
  return <Button label={t.details.useFormat({ format: formatName(format) })} onPress={use} />
}

/** Returns the format that keeps what a result lost of its original; undefined if there is none. */
export function keepingFormat(
  loss: Loss,
  { kind }: Pick<MediaItem, 'kind'>,
  { outputPath }: Pick<ResultFile, 'outputPath'>,
): KeepingFormat | undefined {
  return formatThatKeeps(loss, kind, extensionOf(outputPath))
}

/** Files that lost the same thing, each in a row. Many share one row until the user asks for all of them. */
function LostFiles(props: { readonly details: PartDetails; readonly files: readonly LostFile[] }) {
  const { details, files } = props
  const { app, t } = useView()
  const [isOpen, setOpen] = useState(false)
  const isGroup = files.length >= FEWEST_IN_GROUP && !isOpen
  const rows = isGroup ? [files] : files.map((file) => [file])
  return rows.map((row, index) => {
    const [first] = row
    if (first === undefined) return null
    const areVideos = row.every(({ path }) => namedKindOf(path) === 'video')
    return (
      <li key={`${first.path} ${index}`} class="file-row two-line has-remedy">
        <Thumbnail path={first.path} video={areVideos} small />
        <span class="row-text">
          {isGroup ? (
            <span>{t.count[areVideos ? 'videos' : 'photos']({ count: row.length })}</span>
          ) : (
            <Name name={first.name} />
          )}
          <What loss={first.loss} />
        </span>
        <span class="file-row-end">
          <UseFormat id={details.id} paths={row.map(({ path }) => path)} format={first.format} />
          {details.place.presets === 1 && (
            <Button
              kind="quiet"
              label={t.details.itsFine}
              title={t.details.itsFineDoes}
              onPress={() => callFine(app, details.preset, first.loss.code)}
            />
          )}
          {isGroup && <Button kind="quiet" label={t.details.showLost} onPress={() => setOpen(true)} />}
        </span>
      </li>
    )
  })
}

function What({ loss }: { readonly loss: Loss }) {
  const t = useViewTranslation()
  return (
    <span class="hint original-reason">
      <b>{t.sentence(lossLabel(loss, t))}</b>
      {t.punctuation.betweenSentences}
      {lossReasonText(loss, t)}
    </span>
  )
}
