import { useTranslation, useWindow } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import { JobRow, type ListContext } from './job-row.tsx'
import { type Row, type Section, type SectionTitle } from './list-layout.ts'

export function ListSection({ section, ...context }: ListContext & { readonly section: Section }) {
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
          if (content.kind === 'blank')
            return <BlankRow key={row.key} row={row} rowCount={context.rowCount} />
          return <JobRow key={row.key} row={row} job={content.job} dated={content.dated} {...context} />
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
    const { kind } = section.title
    if (kind === 'now' || kind === 'unknown') return ''
    // Without a filter, only part of the history may be loaded, so a count would be wrong.
    const isCounted = section.isLoaded && isNarrowed(app.history.view.value.query)
    return kind === 'needsYou' || kind === 'waiting' || isCounted ? t.number(section.count) : ''
  }
}
