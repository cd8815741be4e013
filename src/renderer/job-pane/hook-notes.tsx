import { useRef } from 'preact/hooks'
import { isSuccess, MOST_TRIES, type HookState } from '../../shared/model/hook-state.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { outcomeOfParts } from '../../shared/model/job-outcome.ts'
import { jobOfDetails } from '../../shared/model/job-state.ts'
import { baseName } from '../../shared/paths.ts'
import { useView } from '../store/app.ts'
import { whenWithin } from '../store/dates.ts'
import { resultWords } from '../../shared/i18n/hook-results.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'

/** Notes about programs, requests and messages that failed after the job and aren't retried automatically. */
export function HookNotes({ details }: { readonly details: PartDetails }) {
  const failed = (details.hooks ?? []).filter((hook) => !isSuccess(hook.result) && isLast(hook))
  return (
    <>
      {failed.map((hook) => (
        <HookNote key={hook.action + hook.receiver} hook={hook} details={details} />
      ))}
    </>
  )
}

/** Whether no automatic retry follows: Mediatray gave up, or tries again only because the user asked for it. */
const isLast = ({ nextAt, tries }: HookState): boolean =>
  nextAt === null || nextAt === 0 || tries >= MOST_TRIES

function HookNote({ hook, details }: { readonly hook: HookState; readonly details: PartDetails }) {
  const { app, t } = useView()
  const texts = t.hookResult
  const note = useRef<HTMLDivElement>(null)
  const { action, receiver, target, result, tries, triedAt, nextAt } = hook
  const name = action === 'program' ? baseName(target) : action === 'url' ? hostOf(target) : target
  const outcome = outcomeOfParts(jobOfDetails(details).parts)
  function tryAgain(): void {
    void app.attempt(app.bridge.afterJob.tryAgain({ id: details.id, action, receiver }))
    note.current?.focus()
  }
  return (
    <div class="callout info spaced" role="status" tabIndex={-1} ref={note}>
      <Icon name="arrow" />
      <span>
        <b>{texts[`${action}Failed`]({ name })}</b>
        {t.punctuation.betweenSentences}
        {nextAt === null
          ? texts.lastTry({
              what: resultWords(result, action, t),
              count: tries,
              when: whenWithin(app, triedAt),
            })
          : t.hookResult.tryingAgain}
        {t.punctuation.betweenSentences}
        {outcome?.kind === 'done' ? texts.jobDone : texts.jobUnchanged}
      </span>
      {nextAt === null && <LinkButton label={t.hookResult.tryAgain} onPress={tryAgain} />}
    </div>
  )
}

const hostOf = (url: string): string => (URL.canParse(url) ? new URL(url).host : url)
