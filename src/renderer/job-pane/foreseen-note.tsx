import { useSignal } from '@preact/signals'
import { foreseenReasons, foreseenSentence, formatName } from '../../shared/i18n/losses.ts'
import type { Foreseen } from '../../shared/loss/foreseen.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { useApp, useView } from '../store/app.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Announcement } from './estimate-row.tsx'
import { ShowLink } from './summary.tsx'
import './foreseen-note.css'

/** Shows what the draft's results will lose, based on the files read so far, and which format avoids the loss. */
export function ForeseenNote({ draft }: { readonly draft: Draft }) {
  const foreseen = useApp().state.foreseen.value
  return (
    <>
      {foreseen !== null && <LossNote draft={draft} foreseen={foreseen} />}
      <OtherFormatNote draft={draft} />
      <KeptNotes />
    </>
  )
}

function LossNote({ draft, foreseen }: { readonly draft: Draft; readonly foreseen: Foreseen }) {
  const { app, t } = useView()
  const isOpen = useSignal(false)
  const sentence = foreseenSentence(foreseen, t)
  const reasons = foreseenReasons(foreseen, t)
  const { keeping } = foreseen
  const folds = reasons.length > 1
  const followed = [
    ...(folds ? [] : reasons),
    ...(draft.output.kind === 'replace' ? [t.newJob.lostStay] : []),
  ]
  return (
    <div class="callout foreseen-note">
      <Icon name="warn" />
      <div>
        <b class="numeric">{sentence}</b>
        {followed.map((text) => t.punctuation.betweenSentences + text)}
        {folds && isOpen.value && (
          <ul>
            {reasons.map((reason) => (
              <li key={reason} class="numeric">
                {reason}
              </li>
            ))}
          </ul>
        )}
        <Announcement sentence={sentence} />
      </div>
      {folds && <ShowLink isOpen={isOpen} />}
      {keeping !== undefined && (
        <LinkButton
          label={t.newJob.useForThese({ format: formatName(keeping.format) })}
          onPress={() => void app.attempt(app.bridge.draft.useKeepingFormat())}
        />
      )}
    </div>
  )
}

/** The files that get a format other than the preset's, because the user has chosen one that keeps more. */
function OtherFormatNote({ draft: { source, otherFormat } }: { readonly draft: Draft }) {
  const { app, t } = useView()
  if (otherFormat === undefined || source.kind !== 'files') return null
  const { paths, others } = otherFormat
  const changed = new Set(paths)
  const count = source.items.filter(({ path }) => changed.has(path)).length
  if (count === 0) return null
  const format = formatName(otherFormat.format)
  // Name the format of the other files only if all files are of the same kind, because photos and videos always have different formats.
  const areOneKind = new Set(source.items.map(({ kind }) => kind)).size === 1
  const hasOthers = others !== undefined && count < source.items.length && areOneKind
  const sentence = hasOthers
    ? t.newJob.becomeOthers({ count, format, others })
    : t.newJob.become({ count, format })
  return (
    <p class="hint other-format" role="status">
      <Icon name="check" />
      <span class="numeric">{sentence}</span>
      <LinkButton
        label={t.actions.undo}
        onPress={() => void app.attempt(app.bridge.draft.usePresetFormat())}
      />
    </p>
  )
}

const KEEPS = { pages: 'keepsPages', chapters: 'keepsChapters', hdr: 'keepsHdr' } as const

/** Pages, chapters and HDR that the results keep. */
function KeptNotes() {
  const { app, t } = useView()
  const kept = app.state.contents.value.filter(({ keptBy }) => keptBy !== null)
  const groups = Map.groupBy(kept, ({ code, keptBy }) => `${code} ${keptBy}`)
  return [...groups].map(([key, files]) => {
    const [first] = files
    if (first === undefined) return null
    const say = t.newJob[KEEPS[first.code]]
    return (
      <p key={key} class="hint other-format">
        <Icon name="check" />
        <span class="numeric">{say({ count: files.length, format: first.keptBy ?? '' })}</span>
      </p>
    )
  })
}
