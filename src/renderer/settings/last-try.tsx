import { useSignal } from '@preact/signals'
import { isSuccess, type HookState, type HookStatus } from '../../shared/model/hook-state.ts'
import { useApp, useSettingsTranslation, useSettingsView } from '../store/app.ts'
import { nextWords, tryWords } from '../store/hook-words.ts'
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
          tryWords(app, last, good)
        ) : (
          <>
            <span class="text-warning">{tryWords(app, last, good)}.</span>
            {!last.isTest && ` ${nextWords(app, last)}`}
          </>
        )}
        {detail !== undefined && <bdi class="detail">{detail}</bdi>}
      </span>
    </>
  )
}
