import { useState } from 'preact/hooks'
import { lossLabel, lossReasonText } from '../../shared/i18n/losses.ts'
import { namedKindOf } from '../../shared/media-types.ts'
import type { Loss } from '../../shared/loss/loss.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'
import { useTranslation } from '../store/app.ts'
import { Button } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { inputOf } from './compare.tsx'
import { Section } from './summary.tsx'

type LostFile = { readonly path: string; readonly name: string; readonly loss: Loss }

/** Files that lost the same thing share a row from this number on. */
const FEWEST_IN_GROUP = 3

/** What the results lost, and why. */
export function LostInResult({ details }: { readonly details: RecordDetails }) {
  const t = useTranslation()
  const lost = details.results.flatMap((result) =>
    (result.losses ?? []).map((loss): LostFile => {
      const path = inputOf(details, result)?.path ?? result.outputPath
      return { path, name: baseName(path), loss }
    }),
  )
  if (lost.length === 0) return null
  const groups = [
    ...Map.groupBy(lost, ({ loss }) => `${lossLabel(loss, t)} ${lossReasonText(loss, t)}`).values(),
  ]
  return (
    <Section
      title={t.details.lost}
      count={t.number(details.results.filter(({ losses = [] }) => losses.length > 0).length)}
      end={<p class="hint">{t.details.originalsUnchanged}</p>}
      compact
    >
      <ul class="file-list">
        {groups.flatMap((group) =>
          group.length < FEWEST_IN_GROUP
            ? group.map((file) => <LostRow key={`${file.path} ${file.loss.code}`} file={file} />)
            : [<LostGroup key={group[0]?.loss.code} files={group} />],
        )}
      </ul>
    </Section>
  )
}

function LostRow({ file: { path, name, loss } }: { readonly file: LostFile }) {
  return (
    <li class="file-row two-line">
      <Thumbnail path={path} video={namedKindOf(path) === 'video'} small />
      <span class="row-text">
        <Name name={name} />
        <What loss={loss} />
      </span>
    </li>
  )
}

function LostGroup({ files }: { readonly files: readonly LostFile[] }) {
  const t = useTranslation()
  const [isOpen, setOpen] = useState(false)
  const [first] = files
  if (first === undefined) return null
  if (isOpen) return files.map((file) => <LostRow key={file.path} file={file} />)
  const areVideos = files.every(({ path }) => namedKindOf(path) === 'video')
  return (
    <li class="file-row two-line">
      <Thumbnail path={first.path} video={areVideos} small />
      <span class="row-text">
        <span>{t.count[areVideos ? 'videos' : 'photos']({ count: files.length })}</span>
        <What loss={first.loss} />
      </span>
      <span class="file-row-end">
        <Button kind="quiet" label={t.details.showLost} onPress={() => setOpen(true)} />
      </span>
    </li>
  )
}

function What({ loss }: { readonly loss: Loss }) {
  const t = useTranslation()
  return (
    <span class="hint original-reason">
      <b>{lossLabel(loss, t)}.</b> {lossReasonText(loss, t)}
    </span>
  )
}
