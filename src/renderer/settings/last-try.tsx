import { useSignal } from '@preact/signals'
import { resultWords } from '../../shared/i18n/hook-results.ts'
import { isSuccess, MOST_TRIES, type HookState, type HookStatus } from '../../shared/model/hook-state.ts'
import { type App, useApp, useSettingsTranslation, useSettingsView, viewTranslation } from '../store/app.ts'
import { whenWithin } from '../store/dates.ts'
import { LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import './last-try.css'

/** The last attempt with its icon, and a link to test the action or try again. Renders nothing for an action that isn't used. */
export function LastTry(props: {
  readonly status: HookStatus | null
  /** The text shown while the action runs. */
  readonly running: string
  readonly test: { readonly name: string; readonly run: () => Promise<void> }
  readonly tryNow: () => Promise<void>
  readonly onTried: () => Promise<void>
}) {
  const { status, running, test, tryNow, onTried } = props
  const app = useApp()
  const texts = useSettingsTranslation().afterJob
  const isTesting = useSignal(false)
  if (status === null) return null
  const { last } = status
  const isRunning = status.isRunning || isTesting.value
  const isWaiting = last !== null && !isSuccess(last.result) && !last.isTest
  async function runTest(): Promise<void> {
    isTesting.value = true
    await app.attempt(test.run())
    await onTried()
    isTesting.value = false
  }
  return (
    <div class="last-try">
      <p class="last-result" role="status">
        {isRunning ? (
          <>
            <Icon name="queue" class="neutral" />
            <span>{running}</span>
          </>
        ) : (
          <Last last={last} />
        )}
      </p>
      {!isRunning &&
        (isWaiting ? (
          <LinkButton label={texts.tryNow} onPress={() => void app.attempt(tryNow()).then(onTried)} />
        ) : (
          <LinkButton label={texts.test} name={test.name} onPress={() => void runTest()} />
        ))}
    </div>
  )
}

function Last({ last }: { readonly last: HookState | null }) {
  const { app, t } = useSettingsView()
  if (last === null)
    return (
      <>
        <Icon name="queue" class="neutral" />
        <span>{t.afterJob.unused}</span>
      </>
    )
  const good = isSuccess(last.result)
  const detail = 'detail' in last.result ? last.result.detail : undefined
  return (
    <>
      <Icon name={good ? 'check' : 'warn'} class={good ? 'good' : 'bad'} />
      <span>
        {good ? (
          tryWords(app, last)
        ) : (
          <>
            <span class="text-warning">{tryWords(app, last)}.</span>
            {!last.isTest && ` ${nextWords(app, last)}`}
          </>
        )}
        {detail !== undefined && <bdi class="detail">{detail}</bdi>}
      </span>
    </>
  )
}

/** "Returned 503 (Service Unavailable), today 12:04". After a success, includes the duration. */
function tryWords(app: App, { action, result, triedAt, isTest }: HookState): string {
  const t = viewTranslation(app)
  const texts = t.hookResult
  const words = resultWords(result, action, t)
  const what = isTest ? texts.tested({ what: words }) : words
  const when = whenWithin(app, triedAt)
  if (!isSuccess(result) || !('ms' in result)) return texts.at({ what, when })
  return texts.atAfter({ what, when, seconds: Math.max(1, Math.round(result.ms / 100)) / 10 })
}

/** "Attempt 3 of 5 at 12:09." */
function nextWords(app: App, { nextAt, tries }: HookState): string {
  const t = viewTranslation(app)
  if (nextAt === null) return t.hookResult.gaveUp({ count: tries })
  if (nextAt <= app.now()) return t.hookResult.tryingAgain
  return t.hookResult.next({ next: tries + 1, most: MOST_TRIES, time: t.clockTime(nextAt) })
}
