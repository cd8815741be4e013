import { jobLine, outboxLine, recordLine, shortPath } from '../../shared/i18n/index.ts'
import type { App } from '../store/app.ts'
import type { RowContent } from './list-layout.ts'

/** The second line of a row. */
export function sentenceOf(app: App, content: RowContent, words: readonly string[]): string {
  const wording = app.wording.value
  switch (content.kind) {
    case 'job':
      return jobLine(content.job, wording)
    case 'outbox': {
      const { state } = content.entry
      if (state.kind === 'unknown') {
        return state.checking ? app.words.value.rows.checking : app.words.value.rows.unsure
      }
      return outboxLine(content.entry, content.rank, wording)
    }
    case 'record': {
      const sentence = recordLine(content.record, wording)
      const { output, name } = content.record
      const folder = output?.kind === 'folder' ? shortPath(output.path, app.facts.homeFolder) : ''
      const foundThere = words.some(
        (word) => folder.toLocaleLowerCase().includes(word) && !name.toLocaleLowerCase().includes(word),
      )
      return foundThere ? app.words.value.list.inFolder({ folder, sentence }) : sentence
    }
    case 'blank':
    case 'fold':
      return ''
  }
}

/** What stands at the end of the first line: a share, a time or a date. */
export function timeOf(app: App, content: RowContent): string {
  const wording = app.wording.value
  if (content.kind === 'job') {
    const { share } = content.job.progress
    return content.job.stage.kind === 'processing' && share !== null ? wording.percent(share) : ''
  }
  if (content.kind !== 'record' || content.record.endedAt === null) return ''
  const at = content.record.endedAt
  return content.dated === 'month'
    ? new Intl.DateTimeFormat(wording.locale, { day: 'numeric', month: 'short' }).format(at)
    : wording.timeOfDay(at)
}
