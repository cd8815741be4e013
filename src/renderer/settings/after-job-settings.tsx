import type { Hooks } from '../../shared/model/after-job.ts'
import { DIRECT_ACTIONS } from '../../shared/model/hook-state.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { baseName } from '../../shared/paths.ts'
import { useSettingsView } from '../store/app.ts'
import { useRead } from '../store/use-read.ts'
import { Button } from '../ui/button.tsx'
import { OutcomeChecks, ProgramField, UrlField } from './hook-fields.tsx'
import { LastTry } from './last-try.tsx'
import { Receivers } from './receivers.tsx'
import { Setting } from './setting.tsx'

const ACTIONS = {
  program: { Field: ProgramField, running: 'runningProgram', test: 'testProgram' },
  url: { Field: UrlField, running: 'runningUrl', test: 'testUrl' },
} as const

/** Settings for what runs after each job, with the result of the last run. */
export function AfterJobSettings() {
  const { app, t } = useSettingsView()
  const texts = t.afterJob
  const { afterJob: hooks } = app.state.settings.value
  const version = app.state.historyVersion.value
  const [statuses, read] = useRead(() => app.bridge.afterJob.status(), [version, hooks])
  const set = (change: Partial<Hooks>): void => void app.attempt(app.bridge.afterJob.set(change)).then(read)
  const fields = { hooks, onChange: set }
  return (
    <>
      <p class="hint intro">{texts.lead}</p>
      {DIRECT_ACTIONS.map((action) => {
        const { Field, running, test } = ACTIONS[action]
        const id = `hook-${action}`
        return (
          <Setting key={action} stacked label={texts[action]} for={id}>
            <Field id={id} {...fields} />
            <p class="hint" id={`${id}-hint`}>
              {texts[`${action}Hint`]}
            </p>
            <LastTry
              status={statuses.value?.[action] ?? null}
              running={texts[running]}
              test={{ name: texts[test], run: () => app.bridge.afterJob.test(action) }}
              tryNow={() => app.bridge.afterJob.tryNow(action)}
              onTried={read}
            />
          </Setting>
        )
      })}
      <Setting stacked label={texts.outcomes}>
        <OutcomeChecks id="hook-outcome" {...fields} />
      </Setting>
      <Receivers />
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
    if (await app.succeeds(copying)) app.toasts.show(done)
  }
}

/** "Runs publish-photos, sends to hooks.harbour.example" */
export function afterJobSummary(
  { afterJob, receivers }: Pick<Settings, 'afterJob' | 'receivers'>,
  t: SettingsTranslation,
): string {
  const { summaries: texts } = t
  const direct = directSummary(afterJob, t)
  if (receivers.length === 0) return direct ?? texts.off
  const messages = texts.receivers({ count: receivers.length })
  return direct === undefined ? messages : texts.both({ first: direct, second: messages })
}

function directSummary(
  { program, url }: Hooks,
  { summaries: texts }: SettingsTranslation,
): string | undefined {
  const name = program === null ? '' : baseName(program)
  const host = url === null || !URL.canParse(url) ? (url ?? '') : new URL(url).host
  if (program === null) return url === null ? undefined : texts.sends({ host })
  return url === null ? texts.runs({ program: name }) : texts.runsAndSends({ program: name, host })
}
