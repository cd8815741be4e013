/** Renders what the command `watch` reports. */
import { createWindowTranslation, loadWindowTexts } from '../../../shared/i18n/i18n.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { isSuccess } from '../../../shared/model/hook-state.ts'
import type { CliEvent } from './event.ts'

type Of<Name> = Extract<CliEvent, { readonly event: Name }>

const t = createWindowTranslation(await loadWindowTexts('en'), 'en')

export function watchTroubleLine({
  folder,
  kind,
  files = 0,
  preset,
  problems = [],
}: Of<'watchTrouble'>): string {
  switch (kind) {
    case 'missing':
      return `${folder}: not found. Watching resumes when it’s back.`
    case 'unreadable':
      return `${folder}: can’t be read.`
    case 'presetMissing':
      return `${folder}: ${t.count.files({ count: files })} wait for the preset “${preset ?? ''}”, which doesn’t exist.`
    case 'notStarted':
      return `${folder}: not submitted. ${problems.map((problem) => draftProblemSentence(problem, t)).join(' ')}`
  }
}

export function hookLine({ job, action, result, tries, nextAt }: Of<'hook'>): string {
  const what = action === 'program' ? 'the program' : 'the request'
  if (isSuccess(result)) return `${job}  ${what} after the job succeeded.`
  const next = nextAt === null ? 'It won’t be tried again.' : `It will be tried again.`
  return `${job}  ${what} after the job failed (${result.kind}, try ${tries}). ${next}`
}
