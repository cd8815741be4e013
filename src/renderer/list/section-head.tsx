import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import { useApp, useTranslation } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import type { Section, SectionTitle } from './list-layout.ts'

export function SectionHead({ section, id }: { readonly section: Section; readonly id: string }) {
  const app = useApp()
  const t = useTranslation()
  return (
    <h2 id={id}>
      {titleText(section.title)}
      <span class="num">{countText()}</span>
    </h2>
  )

  function titleText(title: SectionTitle): string {
    switch (title.kind) {
      case 'needsYou':
      case 'now':
      case 'next':
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
      case 'next':
        return t.list.nextCount({
          count: app.state.queue.value?.waiting ?? section.count,
          most: MAX_WAITING_JOBS,
        })
      case 'now':
      case 'unknown':
        return ''
      case 'today':
      case 'yesterday':
      case 'day':
      case 'month':
        // Of the whole history only a part may have been read; a count would be of that part.
        return isNarrowed(app.history.view.value.query) ? t.number(section.count) : ''
    }
  }
}
