/** Renders what the command `watch` reports. */
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { isSuccess } from '../../../shared/model/hook-state.ts'
import { t } from './english.ts'
import type { EventOf } from './event.ts'
import { someOf } from './some-of.ts'

export function watchLine(event: EventOf<'watching' | 'unblocked' | 'watchTrouble' | 'hook'>): string {
  switch (event.event) {
    case 'watching':
      return `Watching ${event.folders.join(', ')}.`
    case 'unblocked':
      return 'Processing continues.'
    case 'watchTrouble':
      return watchTroubleLine(event)
    case 'hook':
      return hookLine(event)
  }
}

function watchTroubleLine({
  folder,
  kind,
  files = 0,
  preset,
  problems = [],
  paths = [],
  error = '',
}: EventOf<'watchTrouble'>): string {
  switch (kind) {
    case 'missing':
      return `${folder}: not found. Watching resumes when it’s back.`
    case 'notFolder':
      return `${folder}: a file, not a folder. Watching starts when a folder has this name.`
    case 'foreignLink':
      return `${folder}: a link on its path belongs to another user and isn’t followed. Watching resumes when the folder is back.`
    case 'repeated':
      return `${folder}: another watched folder is the same one and processes its files.`
    case 'unreadable':
      return files === 0
        ? `${folder}: can’t be read.`
        : `${folder}: ${t.count.files({ count: files })} can’t be read: ${someOf(paths, files)}.`
    case 'presetMissing':
      if (files === 0)
        return `${folder}: the preset “${preset ?? ''}” doesn’t exist. New files for it will wait.`
      return `${folder}: ${t.count.files({ count: files })} ${files === 1 ? 'waits' : 'wait'} for the preset “${preset ?? ''}”, which doesn’t exist.`
    case 'open':
      return `${folder}: waiting for other programs to close ${t.count.files({ count: files })}: ${someOf(paths, files)}.`
    case 'retried':
      return `${folder}: ${t.count.files({ count: files })} failed and will be tried again later: ${someOf(paths, files)}.`
    case 'links':
      return `${folder}: ${files === 1 ? '1 link leads' : `${t.number(files)} links lead`} out of the folder and ${files === 1 ? 'isn’t' : 'aren’t'} followed: ${someOf(paths, files)}.`
    case 'special':
      return `${folder}: ${t.count.files({ count: files })} ${files === 1 ? 'is a pipe, socket or device' : 'are pipes, sockets or devices'} and won’t be processed: ${someOf(paths, files)}.`
    case 'ignored':
      return `${folder}: ${t.count.files({ count: files })} ${files === 1 ? 'is hidden or has the name of an unfinished file and won’t be processed until it is renamed' : 'are hidden or have names of unfinished files and won’t be processed until they are renamed'}: ${someOf(paths, files)}.`
    case 'empty':
      return `${folder}: ${t.count.files({ count: files })} ${files === 1 ? 'is' : 'are'} empty and will be processed when ${files === 1 ? 'it has' : 'they have'} content: ${someOf(paths, files)}.`
    case 'notStarted':
      return `${folder}: not submitted. ${problems.map((problem) => draftProblemSentence(problem, t)).join(' ')}`
    case 'notTaken':
      return `${folder}: files couldn’t be submitted and will be tried again. ${error}`
  }
}

function hookLine({ job, action, result, tries, nextAt }: EventOf<'hook'>): string {
  const what = action === 'program' ? 'the program' : 'the request'
  if (isSuccess(result)) return `${job}  ${what} after the job succeeded.`
  const next =
    nextAt === null ? 'It won’t be tried again.' : 'It will be tried again while the app or “watch” runs.'
  return `${job}  ${what} after the job failed (${result.kind}, try ${tries}). ${next}`
}
