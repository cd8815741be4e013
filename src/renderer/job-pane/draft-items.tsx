/** The accepted files of the draft. Skipped files that are already done follow in a collapsed group. */
import { presetTitle } from '../../shared/i18n/sentences.ts'
import { useSignal } from '@preact/signals'
import type { DoneFile } from '../../shared/model/done-files.ts'
import type { FileContents } from '../../shared/loss/foreseen.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows, type RowPlace } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useApp, useViewTranslation, type App, useView } from '../store/app.ts'
import { countKinds, kindCounts, skippedItems } from '../store/draft-contents.ts'
import { removeFromDraft } from '../store/start-draft.ts'
import { ShowLink } from './summary.tsx'

const ROW_HEIGHT = 40

export function DraftItems(props: { readonly items: readonly MediaItem[]; readonly hasRejects: boolean }) {
  const { items, hasRejects } = props
  const { app, t } = useView()
  if (items.length === 0) return null
  const skipped = skippedItems(app)
  const kept = skipped.size === 0 ? items : items.filter((item) => !skipped.has(item))
  const contents = countKinds(items)
  const isMixed = contents.photos > 0 && contents.videos > 0
  const heading =
    skipped.size > 0
      ? t.newJob.toProcess({ count: kept.length })
      : isMixed || hasRejects
        ? kindCounts(contents, t)
        : null
  return (
    <>
      {heading !== null && kept.length > 0 && (
        <div class={`subhead numeric ${hasRejects ? 'spaced' : ''}`}>
          <span>{heading}</span>
        </div>
      )}
      {kept.length > 0 && <Rows items={kept} label={t.newJob.files} />}
      {skipped.size > 0 && <DoneItems items={[...skipped]} />}
    </>
  )
}

function DoneItems({ items }: { readonly items: readonly MediaItem[] }) {
  const t = useViewTranslation()
  const open = useSignal(false)
  const size = items.reduce((sum, item) => sum + item.size, 0)
  const label = t.newJob.doneGroup({ count: items.length, size: t.size(size) })
  return (
    <>
      <div class="done-group">
        <Icon name="check" />
        <span class="numeric">{label}</span>
        <ShowLink isOpen={open} />
      </div>
      {open.value && <Rows items={items} label={label} class="done" />}
    </>
  )
}

function Rows(props: {
  readonly items: readonly MediaItem[]
  readonly label: string
  readonly class?: string
}) {
  const { items, label, class: more = '' } = props
  const app = useApp()
  const known = app.state.doneFiles.value
  const results = new Map(
    known?.kind === 'known' ? known.done.map(({ path, resultOf }) => [path, resultOf]) : [],
  )
  const contents = new Map(
    app.state.contents.value.flatMap((one) => (one.code === 'hdr' ? [] : [[one.path, one] as const])),
  )
  return (
    <RovingRows
      items={items}
      rowHeight={ROW_HEIGHT}
      label={label}
      class={more}
      onKey={({ path }, event) => removeOnKey(app, event, path)}
      row={(item, place) => (
        <ItemRow
          key={item.path}
          item={item}
          place={place}
          resultOf={results.get(item.path) ?? null}
          contents={contents.get(item.path)}
        />
      )}
    />
  )
}

function ItemRow(props: {
  readonly item: MediaItem
  readonly place: RowPlace
  readonly resultOf: DoneFile['resultOf']
  readonly contents: Exclude<FileContents, { readonly code: 'hdr' }> | undefined
}) {
  const { item, place, resultOf, contents } = props
  const { app, t } = useView()
  return (
    <li class="draft-file" {...place}>
      <Thumbnail path={item.path} video={item.kind === 'video'} small />
      <span class="row-text">
        <Name name={item.name} />
        {contents !== undefined && (
          <span class="hint block truncate numeric">
            {t.newJob[contents.code]({ count: contents.count })}
          </span>
        )}
        {resultOf !== null && contents === undefined && (
          <span class="hint block truncate">
            {t.newJob.resultOf({
              preset: presetTitle(resultOf.preset, t),
              date: t.day(resultOf.at, app.now()),
            })}
          </span>
        )}
      </span>
      <span class="file-size">{t.size(item.size)}</span>
      <IconButton
        icon="close"
        label={t.newJob.remove({ name: item.name })}
        skipTab
        onPress={() => void removeFromDraft(app, item.path)}
      />
    </li>
  )
}

export function removeOnKey(app: App, event: KeyboardEvent, path: string): boolean {
  if (event.key !== 'Delete' && event.key !== 'Backspace') return false
  void removeFromDraft(app, path)
  return true
}
