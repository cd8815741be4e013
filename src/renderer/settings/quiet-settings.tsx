import type { ComponentChildren } from 'preact'
import { useState } from 'preact/hooks'
import type { QuietWait } from '../../shared/model/quiet.ts'
import { MAX_IDLE_MINUTES, type QuietConditions } from '../../shared/model/settings.ts'
import { isHeld, stateOf } from '../../shared/model/job-state.ts'
import type { SettingsTranslation, ViewTranslation } from '../../shared/i18n/i18n.ts'
import { quietWords } from '../../shared/i18n/sentences.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { Check } from '../ui/form-controls.tsx'
import { Icon } from '../ui/icon.tsx'
import type { Settings } from '../../shared/model/settings.ts'
import { useViewTranslation, type App, useView } from '../store/app.ts'
import { shownTime } from '../store/dates.ts'
import { quietSign } from '../store/job-signs.ts'
import { Setting, Switch, SettingSwitch } from './setting.tsx'
import './quiet-settings.css'

export function QuietSettings() {
  const { app, t } = useView()
  const isExternal = app.state.connection.value.kind === 'external'
  return (
    <>
      {isExternal && <Accepted />}
      <Setting label={t.quiet.run} stacked>
        <Conditions />
        <Waiting />
      </Setting>
      {isExternal ? (
        <Setting label={t.quiet.leaveRoom} for="leaveRoom" hint={t.quiet.builtInOnly}>
          <Switch id="leaveRoom" on={false} disabled />
        </Setting>
      ) : (
        <SettingSwitch name="leaveRoom" label={t.quiet.leaveRoom} hint={t.quiet.leaveRoomHint} />
      )}
      <Pausing isExternal={isExternal} />
    </>
  )
}

/** Explains that jobs already accepted by an external service continue. Only the built-in service can be paused. */
function Accepted() {
  const { app, t } = useView()
  const count = app.state.jobs.value.length
  return (
    <p class="callout info accepted-jobs" role="status">
      <Icon name="link" />
      <span>
        {count > 0 && <b>{t.quiet.accepted({ address: app.state.connection.value.address, count })} </b>}
        {t.quiet.holdsBack}
      </span>
    </p>
  )
}

function Conditions() {
  const { app, t } = useView()
  const { quiet } = app.state.settings.value
  const { abilities } = app.state.quiet.value
  const choose = (patch: Partial<QuietConditions>): void => app.choose({ quiet: { ...quiet, ...patch } })
  const chosen = [quiet.plugged, quiet.between, quiet.idle].filter(Boolean).length
  return (
    <div class="check-list" role="group" aria-label={t.quiet.run}>
      <label class="check">
        <input
          type="radio"
          name="quiet"
          checked={chosen === 0}
          onChange={() => choose({ plugged: false, between: false, idle: false })}
        />
        <span>{t.quiet.always}</span>
      </label>
      {(abilities.battery !== 'none' || quiet.plugged) && (
        <Condition
          id="quiet-plugged"
          label={t.quiet.plugged}
          checked={quiet.plugged}
          onChange={(plugged) => choose({ plugged })}
        />
      )}
      <Condition
        id="quiet-between"
        label={t.quiet.between}
        checked={quiet.between}
        onChange={(between) => choose({ between })}
      >
        <TimeField
          label={t.quiet.from}
          value={quiet.from}
          onChange={(from) => choose({ from, between: true })}
        />
        <span>{t.quiet.and}</span>
        <TimeField
          label={t.quiet.until}
          value={quiet.until}
          onChange={(until) => choose({ until, between: true })}
        />
      </Condition>
      <Condition
        id="quiet-idle"
        label={t.quiet.idle}
        checked={quiet.idle}
        disabled={!abilities.idle && !quiet.idle}
        onChange={(idle) => choose({ idle })}
      >
        <MinutesField
          value={quiet.idleMinutes}
          disabled={!abilities.idle}
          onChange={(idleMinutes) => choose({ idleMinutes, idle: true })}
        />
        <span>{t.quiet.minutes}</span>
        {!abilities.idle && <span class="hint">{t.quiet.notHere}</span>}
      </Condition>
      {chosen > 1 && <p class="hint">{t.quiet.all}</p>}
    </div>
  )
}

/** A condition under which jobs run, with its fields. Conditions can be combined, so they are checkboxes. */
function Condition({
  children,
  ...check
}: Parameters<typeof Check>[0] & { readonly children?: ComponentChildren }) {
  return (
    <div class="quiet-condition">
      <Check {...check} />
      {children}
    </div>
  )
}

type FieldProps<Value> = {
  readonly value: Value
  readonly onChange: (value: Value) => void
}

/** A field for a time of day. An incomplete time reverts to the last complete one. */
function TimeField({ label, value, onChange }: FieldProps<string> & { readonly label: string }) {
  return (
    <input
      class="field numeric quiet-time"
      type="time"
      aria-label={label}
      value={value}
      onInput={(event) => {
        if (event.currentTarget.value !== '') onChange(event.currentTarget.value)
      }}
      onBlur={(event) => (event.currentTarget.value = value)}
    />
  )
}

/** A field for a number of minutes. Invalid input reverts to the last valid number. */
function MinutesField({ value, disabled, onChange }: FieldProps<number> & { readonly disabled: boolean }) {
  const t = useViewTranslation()
  const [typed, setTyped] = useState<string | null>(null)
  return (
    <input
      class="field numeric quiet-minutes"
      inputMode="numeric"
      autocomplete="off"
      aria-label={t.quiet.minutesLabel}
      disabled={disabled}
      value={typed ?? String(value)}
      onInput={(event) => {
        const text = event.currentTarget.value
        setTyped(text)
        const minutes = Number(text)
        if (/^\d+$/.test(text) && minutes >= 1 && minutes <= MAX_IDLE_MINUTES) onChange(minutes)
      }}
      onBlur={() => setTyped(null)}
    />
  )
}

/** "Only between 22:00 and 07:00. 3 jobs are waiting" */
export function quietSummary(app: App, t: SettingsTranslation): string {
  const texts = t.summaries
  const { wait } = app.state.quiet.value
  const when = quietConditions(app.state.settings.value, t)
  const first = wait?.reason === 'paused' ? quietWords(wait, t) : when
  const count = waitingJobs(app)
  return wait === null || count === 0 ? first : texts.both({ first, second: texts.waiting({ count }) })
}

/** "Only between 22:00 and 07:00" */
export function quietConditions({ quiet }: Pick<Settings, 'quiet'>, t: SettingsTranslation): string {
  const texts = t.summaries
  const { plugged, between, from, until, idle, idleMinutes } = quiet
  const conditions = [
    ...(plugged ? [texts.plugged] : []),
    ...(between ? [texts.between({ from: shownTime(from, t), until: shownTime(until, t) })] : []),
    ...(idle ? [texts.idle({ count: idleMinutes })] : []),
  ]
  const list = new Intl.ListFormat(t.language).format(conditions)
  return conditions.length === 0 ? t.quiet.always : texts.onlyWhen({ list })
}

const waitingJobs = ({ jobs }: App): number =>
  jobs.value.filter((job) => stateOf(job) === 'waiting' || isHeld(job)).length

function Waiting() {
  const { app, t } = useView()
  const { wait } = app.state.quiet.value
  const count = waitingJobs(app)
  if (wait === null || count === 0) return null
  return (
    <p class="quiet-waiting" role="status">
      <Icon name={quietSign(wait).icon} class="status-icon" />
      <span>{waitingSentence(wait, count, t)}</span>
      <LinkButton
        label={t.quiet.startWaiting({ count })}
        onPress={() => void app.attempt(app.bridge.outbox.startAnyway(null))}
      />
    </p>
  )
}

function waitingSentence({ reason, until }: QuietWait, count: number, t: ViewTranslation): string {
  const time = until === null ? '' : t.clockTime(until)
  const { waitingPaused, waitingPausedUntil, waitingTime, waitingPower, waitingIdle } = t.quiet
  return {
    paused: until === null ? waitingPaused({ count }) : waitingPausedUntil({ count, time }),
    time: waitingTime({ count, time }),
    power: waitingPower({ count }),
    idle: waitingIdle({ count }),
  }[reason]
}

function Pausing({ isExternal }: { readonly isExternal: boolean }) {
  const { app, t } = useView()
  const { outbox } = app.bridge
  const { wait } = app.state.quiet.value
  if (wait?.reason === 'paused') {
    const text =
      wait.until === null ? t.waiting.paused : t.waiting.pausedUntil({ time: t.clockTime(wait.until) })
    return (
      <Setting label={t.pause.pause} hint={text}>
        <span id="pause">
          <Button label={t.pause.resume} onPress={() => void app.attempt(outbox.resume())} />
        </span>
      </Setting>
    )
  }
  return (
    <Setting label={t.pause.pause} hint={isExternal ? t.quiet.pauseHintExternal : t.quiet.pauseHint}>
      <div class="control-row" id="pause">
        {(['hour', 'tomorrow'] as const).map((length) => (
          <Button
            key={length}
            label={t.pause[length]}
            onPress={() => void app.attempt(outbox.pause(length))}
          />
        ))}
      </div>
    </Setting>
  )
}
