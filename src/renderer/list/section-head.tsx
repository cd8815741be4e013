import { MAX_WAITING_JOBS } from '../../shared/api/limits.ts'
import { useApp, useWords } from '../store/app.ts'
import { isNarrowed } from '../store/search.ts'
import type { Section, SectionTitle } from './list-layout.ts'

export function SectionHead({ section, id }: { readonly section: Section; readonly id: string }) {
  const app = useApp()
  const { w, wording } = useWords()
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
        return w.list[title.kind]
      case 'day':
        return wording.day(title.at, app.now())
      case 'month':
        return wording.month(title.at)
      case 'unknown':
        return w.list.earlier
    }
  }

  function countText(): string {
    switch (section.title.kind) {
      case 'needsYou':
      case 'waiting':
        return wording.number(section.count)
      case 'next':
        return w.list.nextCount({
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
        return isNarrowed(app.history.view.value.query) ? wording.number(section.count) : ''
    }
  }
}
