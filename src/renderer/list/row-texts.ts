import { shortPath } from '../../shared/i18n/names.ts'
import { jobLine, outboxLine, recordLine } from '../../shared/i18n/sentences.ts'
import type { App } from '../store/app.ts'
import type { RowContent } from './list-layout.ts'

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
  return content.dated === 'month'
    ? new Intl.DateTimeFormat(t.locale, { day: 'numeric', month: 'short' }).format(at)
    : t.timeOfDay(at)
}
