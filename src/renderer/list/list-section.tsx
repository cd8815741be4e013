import type { ReadonlySignal } from '@preact/signals'
import type { RecordId } from '../../shared/model/ids.ts'
import { useTranslation, useWindow } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import type { Draggable } from './drag.ts'
import { JobRow } from './job-row.tsx'
import { rowId, type Row, type Section, type SectionTitle } from './list-layout.ts'

export function ListSection(props: {
  readonly section: Section
  /** Number of rows in the whole list; -1 if unknown. */
  readonly rowCount: number
  /** The job shown in the job pane; null if there is none. */
  readonly selected: RecordId | null
  /** Key of the row in the Tab order. */
  readonly tabbable: string | null
  readonly moved: ReadonlySet<string>
  /** Search words to highlight. */
  readonly words: readonly string[]
  /** Whether the rows pass too fast to be seen. */
  readonly passing: ReadonlySignal<boolean>
  readonly list: Draggable
}) {
  const { section, rowCount, selected, tabbable, moved, words, passing, list } = props
  return (
    <section
      class="job-section"
      aria-labelledby={`section-${section.key}`}
      style={{ '--top': `${section.top}px`, '--height': `${section.height}px` }}
    >
      <SectionHead section={section} id={`section-${section.key}`} />
      <ul>
        {section.rows.map((row) => {
          const { content } = row
          if (content.kind === 'blank') return <BlankRow key={row.key} row={row} rowCount={rowCount} />
          return (
            <JobRow
              key={row.key}
              row={row}
              job={content.job}
              dated={content.dated}
              current={selected !== null && rowId(row) === selected}
              tabbable={tabbable === row.key}
              moved={moved.has(row.key)}
              setSize={rowCount}
              words={words}
              passing={passing}
              list={list}
            />
          )
        })}
      </ul>
    </section>
  )
}

/** A placeholder for a record that hasn't been loaded. */
function BlankRow({ row, rowCount }: { readonly row: Row; readonly rowCount: number }) {
  const t = useTranslation()
  return (
    <li
      class="job-row-placeholder"
      aria-setsize={rowCount}
      aria-posinset={row.index + 1}
      style={{ '--top': `${row.top}px` }}
    >
      <span class="visually-hidden">{t.list.reading}</span>
    </li>
  )
}

function SectionHead({ section, id }: { readonly section: Section; readonly id: string }) {
  const { app, t } = useWindow()
  return (
    <h2 id={id}>
      {titleText(section.title)}
      <span class="numeric">{countText()}</span>
    </h2>
  )

  function titleText(title: SectionTitle): string {
    switch (title.kind) {
      case 'needsYou':
      case 'now':
      case 'waiting':
      case 'today':
      case 'yesterday':
        return t.list[title.kind]
      case 'day':
        return t.day(title.at, app.now())
      case 'month':
        return t.month(title.at)
      case 'unknown':
        return t.list.earlier
    }
  }

  function countText(): string {
    switch (section.title.kind) {
      case 'needsYou':
      case 'waiting':
        return t.number(section.count)
      case 'now':
      case 'unknown':
        return ''
      case 'today':
      case 'yesterday':
      case 'day':
      case 'month':
        // Without a filter, only part of the history may be loaded, so a count would be wrong.
        return section.isLoaded && isNarrowed(app.history.view.value.query) ? t.number(section.count) : ''
    }
  }
}
