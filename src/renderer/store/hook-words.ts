/** Describes the last attempt of an action after a job, and when the next one follows. */
import { resultWords } from '../../shared/i18n/hook-results.ts'
import { MOST_TRIES, type HookState } from '../../shared/model/hook-state.ts'
import { type App, viewTranslation } from './app.ts'
import { whenWithin } from './dates.ts'

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

/** "Attempt 3 of 5 at 12:09." */
export function nextWords(app: App, { nextAt, tries }: HookState): string {
  const t = viewTranslation(app)
  if (nextAt === null) return t.hookResult.gaveUp({ count: tries })
  if (nextAt <= app.now()) return t.hookResult.tryingAgain
  return t.hookResult.next({ next: tries + 1, most: MOST_TRIES, time: t.clockTime(nextAt) })
}
