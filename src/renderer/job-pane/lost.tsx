import { useState } from 'preact/hooks'
import { formatName, lossLabel, lossReasonText } from '../../shared/i18n/losses.ts'
import { namedKindOf } from '../../shared/media-types.ts'
import { formatThatKeeps, type KeepingFormat, type Loss } from '../../shared/loss/loss.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { baseName } from '../../shared/paths.ts'
import { fineLossesOf } from '../../shared/loss/fine-losses.ts'
import { useApp, useViewTranslation } from '../store/app.ts'
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

/** Shows what the results lost, and why. */
export function LostInResult({ details }: { readonly details: PartDetails }) {
  const t = useViewTranslation()
  const app = useApp()
  const fine = fineLossesOf(app.state.settings.value, details.preset)
  const listed = (losses: readonly Loss[] = []) => losses.filter(({ code }) => !fine.includes(code))
  const lost = details.results.flatMap((result) =>
    listed(result.losses).map((loss): LostFile => {
      const input = inputOf(details, result)
      const path = input?.path ?? result.outputPath
      const ending = result.outputPath.split('.').at(-1)?.toLowerCase() ?? ''
      const format = input && formatThatKeeps(loss, input.kind, ending)
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
      <ul class="file-list lost-list">
        {groups.map(([what, group]) => (
          <LostFiles key={what} details={details} files={group} />
        ))}
      </ul>
    </Section>
  )
}

/** Opens a draft with these files in a format that keeps what was lost. */
function UseFormat({ id, files }: { readonly id: RecordId; readonly files: readonly LostFile[] }) {
  const app = useApp()
  const t = useViewTranslation()
  const format = files[0]?.format
  if (format === undefined) return null
  const paths = [...new Set(files.map(({ path }) => path))]
  const use = (): void => void thenShowDraft(app, app.bridge.jobs.useFormat({ id, paths, format }))
  return <Button label={t.details.useFormat({ format: formatName(format) })} onPress={use} />
}

/** Files that lost the same thing, each in a row. Many share one row until the user asks for all of them. */
function LostFiles(props: { readonly details: PartDetails; readonly files: readonly LostFile[] }) {
  const { details, files } = props
  const app = useApp()
  const t = useViewTranslation()
  const [isOpen, setOpen] = useState(false)
  const isGroup = files.length >= FEWEST_IN_GROUP && !isOpen
  const rows = isGroup ? [files] : files.map((file) => [file])
  return rows.map((row, index) => {
    const [first] = row
    if (first === undefined) return null
    const areVideos = row.every(({ path }) => namedKindOf(path) === 'video')
    return (
      <li key={`${first.path} ${index}`} class="file-row two-line">
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
          <UseFormat id={details.id} files={row} />
          <Button
            kind="quiet"
            label={t.details.itsFine}
            title={t.details.itsFineDoes}
            onPress={() => callFine(app, details.preset, first.loss.code)}
          />
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
