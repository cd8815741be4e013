import { useState } from 'preact/hooks'
import { workName, shortPath } from '../../shared/i18n/names.ts'
import { jobLine, outboxLine, recordLine } from '../../shared/i18n/sentences.ts'
import { IconButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { Marked, Name } from '../ui/name.tsx'
import { ProgressBar } from '../ui/progress-bar.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useApp, useTranslation, type App } from '../store/app.ts'
import { showDetails, focusSoon } from '../store/navigation.ts'
import { actionsFor, describe, menuEntries, type WorkActionName } from '../store/work-actions.ts'
import { SENTENCE_TONES, SIGNS, stateOf, titleOf, type WorkItem } from '../store/work-item.ts'
import { isLive, type Row, type RowContent } from './list-layout.ts'

export const itemOf = (content: RowContent): WorkItem | null => {
  switch (content.kind) {
    case 'job':
      return { kind: 'job', job: content.job }
    case 'outbox':
      return { kind: 'outbox', entry: content.entry, rank: content.rank, of: content.rank }
    case 'record':
      return { kind: 'record', record: content.record }
    case 'blank':
    case 'fold':
      return null
  }
}

type JobRowProps = {
  readonly row: Row
  readonly item: WorkItem
  readonly current: boolean
  readonly tabbable: boolean
  /** It came here from another section and fades in. */
  readonly moved: boolean
  readonly setSize: number
  readonly words: readonly string[]
}

export function openRowMenu(
  app: App,
  item: WorkItem,
  anchor: HTMLElement,
  point?: { readonly x: number; readonly y: number },
): void {
  const entries = menuEntries(app, item, null)
  if (entries.length === 0) return
  app.overlays.menu.value = {
    label: app.t.value.list.actionsFor({ name: titleOf(item).name }),
    entries,
    anchor,
    ...(point === undefined ? {} : { point }),
  }
}

/** One piece of work: name and time, sign and sentence, a bar while it runs. */
export function JobRow(props: JobRowProps) {
  const { row, item, current, tabbable, moved, setSize, words } = props
  const app = useApp()
  const t = useTranslation()
  const title = titleOf(item)
  const state = stateOf(item)
  const sign = SIGNS[state]
  const live = item.kind === 'job' && isLive(item.job)
  const time = timeOf(app, row.content)
  const sentence = sentenceOf(app, row.content, words)
  const name = workName({ ...title, files: 1 }, t)
  const several = title.driveInput === null && (title.files ?? 1) > 1
  // Half of what a row consists of is its actions, and most rows pass by without being gone to.
  const [reached, setReached] = useState(false)
  const reach = (): void => setReached(true)
  return (
    <li
      class="row-position"
      aria-setsize={setSize}
      aria-posinset={row.index + 1}
      data-moved={moved ? '' : undefined}
      style={{ '--top': `${row.top}px`, '--height': `${row.height}px` }}
      onPointerEnter={reach}
      onFocusIn={reach}
    >
      <button
        type="button"
        class="row"
        data-key={row.key}
        data-record={title.id}
        aria-current={current ? 'true' : undefined}
        tabIndex={tabbable ? 0 : -1}
        onClick={(event) => {
          showDetails(app, title.id, true)
          // Enter and Space go on into the details.
          if (event.detail === 0) focusSoon('[data-region="main"] [data-scroller]')
        }}
        onContextMenu={(event) => {
          event.preventDefault()
          openRowMenu(app, item, event.currentTarget, { x: event.clientX, y: event.clientY })
        }}
      >
        <span class={`stack ${several ? 'several' : ''}`}>
          <Thumbnail
            path={title.firstPath}
            video={title.videos > 0 && title.photos === 0}
            {...(title.driveInput === null ? {} : { icon: 'drive' as const })}
          />
        </span>
        <span class="words">
          <span class="first">
            <Name
              name={name}
              more={several ? t.name.more({ count: (title.files ?? 1) - 1 }) : null}
              marked={words}
            />
            <span class="time">{time}</span>
          </span>
          <span class="second">
            {sign && <Icon name={sign.icon} class={`sign ${sign.tone}`} />}
            <span class={`clip ${SENTENCE_TONES[state] ?? ''}`}>
              <Marked text={sentence} words={words} />
            </span>
          </span>
          {live && <ProgressBar share={item.job.progress.share} label={t.list.progress({ name })} />}
        </span>
      </button>
      {reached && <RowActions item={item} />}
    </li>
  )
}

const ON_ROW: readonly WorkActionName[] = ['cancel', 'edit', 'sendNext', 'removeWaiting', 'show']
const ROW_ICONS = { cancel: 'close' } as const

/** Shown under the pointer; the same actions are in the row's menu and in the job pane. */
function RowActions({ item }: { readonly item: WorkItem }) {
  const app = useApp()
  const t = useTranslation()
  const names = actionsFor(item, null)
  const shown = names.filter((name) => ON_ROW.includes(name))
  return (
    <span class="row-actions">
      {shown.map((name) => {
        const action = describe(app, name, item, null)
        return (
          <IconButton
            key={name}
            icon={name === 'cancel' ? ROW_ICONS.cancel : name === 'show' ? 'reveal' : action.icon}
            label={action.label}
            onPress={action.run}
            skipTab
          />
        )
      })}
      {names.length > shown.length && (
        <IconButton
          icon="more"
          label={t.actions.more}
          onMenu={(button) => openRowMenu(app, item, button)}
          skipTab
        />
      )}
    </span>
  )
}

/** The second line of a row. */
export function sentenceOf(app: App, content: RowContent, words: readonly string[]): string {
  const t = app.t.value
  switch (content.kind) {
    case 'job':
      return jobLine(content.job, t)
    case 'outbox': {
      const { state } = content.entry
      if (state.kind === 'unknown') {
        return state.checking ? app.t.value.rows.checking : app.t.value.rows.unsure
      }
      return outboxLine(content.entry, content.rank, t)
    }
    case 'record': {
      const sentence = recordLine(content.record, t)
      const { output, name } = content.record
      const folder = output?.kind === 'folder' ? shortPath(output.path, app.facts.homeFolder) : ''
      const foundThere = words.some(
        (word) => folder.toLocaleLowerCase().includes(word) && !name.toLocaleLowerCase().includes(word),
      )
      return foundThere ? app.t.value.list.inFolder({ folder, sentence }) : sentence
    }
    case 'blank':
    case 'fold':
      return ''
  }
}

/** What stands at the end of the first line: a share, a time or a date. */
export function timeOf(app: App, content: RowContent): string {
  const t = app.t.value
  if (content.kind === 'job') {
    const { share } = content.job.progress
    return content.job.stage.kind === 'processing' && share !== null ? t.percent(share) : ''
  }
  if (content.kind !== 'record' || content.record.endedAt === null) return ''
  const at = content.record.endedAt
  return content.dated === 'month' ? t.shortDay(at) : t.timeOfDay(at)
}
