import { useSignal } from '@preact/signals'
import { useEffect } from 'preact/hooks'
import type { Hooks } from '../../shared/model/after-job.ts'
import { isSuccess, type HookAction, type HookState, type HookStatus } from '../../shared/model/hook-state.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { baseName } from '../../shared/paths.ts'
import { useApp, useSettingsTranslation } from '../store/app.ts'
import { nextWords, tryWords } from '../store/hook-words.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { OutcomeChecks, ProgramField, UrlField } from './hook-fields.tsx'
import { Setting } from './setting.tsx'
import './after-job-settings.css'

type Statuses = { readonly [Action in HookAction]: HookStatus | null }

/** What runs after each job, and the result of its last run. */
export function AfterJobSettings() {
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.afterJob
  const { afterJob: hooks } = app.state.settings.value
  const statuses = useSignal<Statuses>({ program: null, url: null })
  const read = async (): Promise<void> => {
    statuses.value = (await app.attempt(app.bridge.afterJob.status())) ?? statuses.value
  }
  useEffect(() => void read(), [app.state.historyVersion.value, hooks])
  const set = (change: Partial<Hooks>): void => void app.attempt(app.bridge.afterJob.set(change)).then(read)
  const fields = { hooks, onChange: set }
  return (
    <>
      <p class="hint intro">{texts.lead}</p>
      <Setting stacked label={texts.program} for="hook-program">
        <ProgramField id="hook-program" {...fields} />
        <p class="hint" id="hook-program-hint">
          {texts.programHint}
        </p>
        <LastTry action="program" status={statuses.value.program} onTried={read} />
      </Setting>
      <Setting stacked label={texts.url} for="hook-url">
        <UrlField id="hook-url" {...fields} />
        <p class="hint" id="hook-url-hint">
          {texts.urlHint}
        </p>
        <LastTry action="url" status={statuses.value.url} onTried={read} />
      </Setting>
      <Setting stacked label={texts.outcomes}>
        <OutcomeChecks id="hook-outcome" {...fields} />
      </Setting>
      <Setting stacked label={texts.sent}>
        <p class="hint">{texts.sentHint}</p>
        <div class="control-row wrap">
          <Button
            icon="copy"
            label={texts.copyExample}
            onPress={() => void copy(app.bridge.afterJob.copyExample(), texts.exampleCopied)}
          />
          {hooks.url !== null && (
            <Button
              icon="copy"
              label={texts.copyKey}
              onPress={() => void copy(app.bridge.afterJob.copyKey(), texts.keyCopied)}
            />
          )}
        </div>
      </Setting>
    </>
  )

  async function copy(copying: Promise<void>, done: string): Promise<void> {
    const isCopied = await app.attempt(copying.then(() => true))
    if (isCopied) app.toasts.show(done)
  }
}

/** "Runs publish-photos, sends to hooks.harbour.example" */
export function afterJobSummary({ program, url }: Hooks, { summaries: texts }: SettingsTranslation): string {
  const name = program === null ? '' : baseName(program)
  const host = url === null || !URL.canParse(url) ? (url ?? '') : new URL(url).host
  if (program === null) return url === null ? texts.off : texts.sends({ host })
  return url === null ? texts.runs({ program: name }) : texts.runsAndSends({ program: name, host })
}

/** The last attempt with its icon, and a link to test it or try again. Renders nothing for an action that isn't used. */
function LastTry(props: {
  readonly action: HookAction
  readonly status: HookStatus | null
  readonly onTried: () => Promise<void>
}) {
  const { action, status, onTried } = props
  const app = useApp()
  const t = useSettingsTranslation()
  const texts = t.afterJob
  const isTesting = useSignal(false)
  if (status === null) return null
  const { last } = status
  const isRunning = status.isRunning || isTesting.value
  const isWaiting = last !== null && !isSuccess(last.result) && !last.isTest
  async function test(): Promise<void> {
    isTesting.value = true
    await app.attempt(app.bridge.afterJob.test(action))
    await onTried()
    isTesting.value = false
  }
  return (
    <div class="last-try">
      <p class="last-result" role="status">
        {isRunning ? (
          <>
            <Icon name="queue" class="neutral" />
            <span>{action === 'program' ? texts.runningProgram : texts.runningUrl}</span>
          </>
        ) : (
          <Last last={last} />
        )}
      </p>
      {!isRunning &&
        (isWaiting ? (
          <LinkButton
            label={texts.tryNow}
            onPress={() => void app.attempt(app.bridge.afterJob.tryNow(action)).then(onTried)}
          />
        ) : (
          <LinkButton
            label={texts.test}
            name={action === 'program' ? texts.testProgram : texts.testUrl}
            onPress={() => void test()}
          />
        ))}
    </div>
  )
}

function Last({ last }: { readonly last: HookState | null }) {
  const app = useApp()
  const t = useSettingsTranslation()
  if (last === null)
    return (
      <>
        <Icon name="queue" class="neutral" />
        <span>{t.afterJob.unused}</span>
      </>
    )
  const good = isSuccess(last.result)
  const detail = last.result.kind === 'exited' ? last.result.detail : undefined
  return (
    <>
      <Icon name={good ? 'check' : 'warn'} class={good ? 'good' : 'bad'} />
      {good ? (
        <span>{tryWords(app, last, good)}</span>
      ) : (
        <span>
          <span class="text-warning">{tryWords(app, last, good)}.</span>
          {!last.isTest && ` ${nextWords(app, last)}`}
          {detail !== undefined && <bdi class="detail">{detail}</bdi>}
        </span>
      )}
    </>
  )
}
