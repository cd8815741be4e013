/** Words for how a program or URL was used after a job. */
import type { HookResult } from '../../shared/model/after-job.ts'
import { MOST_TRIES, type HookAction, type HookState } from '../../shared/model/hook-state.ts'
import type { ViewTranslation } from '../../shared/i18n/i18n.ts'
import { type App, viewTranslation } from './app.ts'
import { whenWithin } from './dates.ts'

/** "Ended with exit code 0" */
export function resultWords(
  result: HookResult,
  action: HookAction,
  { hookResult: texts }: ViewTranslation,
): string {
  switch (result.kind) {
    case 'exited':
      return texts.exited({ code: String(result.code) })
    case 'signaled':
      return texts.signaled({ signal: result.signal })
    case 'timedOut':
      return action === 'program' ? texts.stopped : texts.silent
    case 'answered':
      return texts.answered({ status: String(result.status), reason: result.reason })
    case 'notReached':
      return texts.notReached({ code: result.code })
    case 'notStarted':
      return faultWords(result.fault, texts)
    case 'badUrl':
      return texts.badUrl
    case 'noAddress':
      return texts.noAddress
    case 'noKey':
      if (action === 'message' && result.trouble === 'missing') return texts.noKeychain
      return texts[result.trouble === 'locked' ? 'keyLocked' : 'keyMissing']
    case 'interrupted':
      return texts.interrupted
  }
}

const FAULTS = ['missing', 'notAFile', 'notRunnable', 'foreignOwner', 'writableByOthers'] as const

function faultWords(fault: string, texts: ViewTranslation['hookResult']): string {
  const known = FAULTS.find((one) => one === fault)
  return known === undefined ? texts.notStarted({ fault }) : texts[known]
}

/** "Returned 503 (Service Unavailable), today 12:04". After a success, includes the duration. */
export function tryWords(
  app: App,
  { action, result, triedAt, isTest }: HookState,
  isSuccess: boolean,
): string {
  const t = viewTranslation(app)
  const texts = t.hookResult
  const words = resultWords(result, action, t)
  const what = isTest ? texts.tested({ what: words }) : words
  const when = whenWithin(app, triedAt)
  if (!isSuccess || !('ms' in result)) return texts.at({ what, when })
  return texts.atAfter({ what, when, seconds: Math.max(1, Math.round(result.ms / 100)) / 10 })
}

/** "Try 3 of 5 at 12:09." */
export function nextWords(app: App, { nextAt, tries }: HookState): string {
  const t = viewTranslation(app)
  if (nextAt === null) return t.hookResult.gaveUp({ count: tries })
  if (nextAt <= app.now()) return t.hookResult.tryingAgain
  return t.hookResult.next({ next: tries + 1, most: MOST_TRIES, time: t.timeOfDay(nextAt) })
}
