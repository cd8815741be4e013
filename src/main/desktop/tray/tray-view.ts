/**
 * Derives the tray's content from the state. The first matching situation wins: attention, main service offline, busy, another service
 * offline, idle. Everything shown here is also available in the window, because there may be no tray.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { jobName } from '../../../shared/i18n/names.ts'
import { shareOf, timeLeftOf } from '../../../shared/model/job-progress.ts'
import type { Job, PartAt } from '../../../shared/model/job.ts'
import {
  countWaiting,
  currentPart,
  idOf,
  isHeld,
  jobOf,
  stateOf,
  titleOf,
  unfinishedJobs,
} from '../../../shared/model/job-state.ts'
import { shownText } from '../../../shared/paths.ts'
import { clipboardPreset } from '../../../shared/model/settings.ts'
import { starredOf } from '../../../shared/preset/starred.ts'
import { servicesInUse, type ServiceInUse } from '../services-in-use.ts'
import type { UserAction } from '../user-action.ts'
import { connectionLine, presetName, quietWords } from '../../../shared/i18n/sentences.ts'
import { PAUSE_LENGTHS } from '../../../shared/model/quiet.ts'

export type TrayIcon = 'idle' | 'busy' | 'attention' | 'offline'

export type TrayItem =
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'divider' }
  | {
      readonly kind: 'action'
      readonly label: string
      readonly action: UserAction
      /** Shown next to the label; in Electron's format. */
      readonly accelerator?: string
    }
  | { readonly kind: 'submenu'; readonly label: string; readonly items: readonly TrayItem[] }

export type TrayView = {
  readonly icon: TrayIcon
  readonly tooltip: string
  readonly items: readonly TrayItem[]
}

/** The icon, the tooltip, and the menu items that depend on the situation. */
type Situation = {
  readonly icon: TrayIcon
  readonly tooltip: string
  readonly lines: readonly string[]
  /** Actions for this situation; an empty list omits the group. */
  readonly actions: readonly TrayItem[]
}

const DIVIDER: TrayItem = { kind: 'divider' }
const text = (label: string): TrayItem => ({ kind: 'text', label })
const action = (label: string, does: UserAction): TrayItem => ({ kind: 'action', label, action: does })

export function trayView(state: AppState, t: Translation): TrayView {
  const [main, ...others] = servicesInUse(state, t)
  const jobs = unfinishedJobs(state)
  const situation =
    attention(state, t) ??
    offline(main, t) ??
    busy(jobs, t) ??
    // Less urgent than running jobs: the main service's jobs continue.
    offline(others.find(isOffline), t) ??
    idle(state, jobs, t)
  const { icon, tooltip, lines, actions } = situation
  const newJob = [action(t.tray.newJob, { do: 'newJob' }), processing(state, t)]
  const starting = withDivider(starred(state, t), newJob)
  // While a job runs, its action follows those that start a job. In other situations, the situation's actions come first.
  const isBusy = icon === 'busy'
  const before = isBusy ? starting : withDivider(actions, starting)
  const middle = withDivider(before, [...(isBusy ? actions : []), pausing(state, t)])
  return {
    icon,
    tooltip,
    items: [
      ...lines.map(text),
      DIVIDER,
      ...middle,
      ...(icon === 'idle' ? lastResult(state, t) : []),
      DIVIDER,
      action(t.tray.open, { do: 'open' }),
      action(t.tray.settings, { do: 'settings' }),
      action(t.tray.quit, { do: 'quit' }),
    ],
  }
}

const withDivider = (first: readonly TrayItem[], second: readonly TrayItem[]): readonly TrayItem[] =>
  first.length > 0 && second.length > 0 ? [...first, DIVIDER, ...second] : [...first, ...second]

function pausing({ quiet: { wait } }: AppState, t: Translation): TrayItem {
  if (wait?.reason === 'paused') return action(t.pause.resume, { do: 'resume' })
  const items = PAUSE_LENGTHS.map((length) => action(t.pause[length], { do: 'pause', length }))
  return { kind: 'submenu', label: t.pause.pause, items }
}

/** The format of shortcuts that the settings accept. Electron throws for an accelerator that it doesn't know. */
const SHORTCUT = /^(?:(?:Control|Alt|Shift|Super)\+)+(?:[A-Z0-9]|F\d{1,2}|Space)$/

function processing({ settings, connection }: AppState, t: Translation): TrayItem {
  const preset = clipboardPreset(settings, connection)
  const label =
    preset === null
      ? t.tray.processClipboard
      : t.tray.processClipboardWith({ preset: shownText(presetName(preset, t)) })
  const keys = settings.clipboardShortcut ?? ''
  const shown = SHORTCUT.test(keys) ? { accelerator: keys } : {}
  return { ...action(label, { do: 'processClipboard' }), ...shown }
}

const starred = ({ settings, connection }: AppState, t: Translation): readonly TrayItem[] =>
  starredOf(settings.starredPresets, connection.presets).map(({ name }) =>
    action(t.tray.startWith({ preset: shownText(name) }), { do: 'startWith', preset: name }),
  )

/** Returns a situation that needs the user. */
const calling = (line: string, actions: readonly TrayItem[]): Situation => ({
  icon: 'attention',
  tooltip: line,
  lines: [line],
  actions,
})

function attention(state: AppState, t: Translation): Situation | undefined {
  const rejecting = servicesInUse(state, t).find(({ view }) => view.state.status === 'keyRefused')
  if (rejecting !== undefined) {
    const actions = rejecting.isMain ? [action(t.tray.enterKey, { do: 'enterKey' })] : []
    return calling(rejecting.named(t.notification.keyRejected), actions)
  }
  return notSaved(state, t) ?? undecided(state, t) ?? problems(state, t)
}

/** Reports that files or data can't be saved; undefined if they can. Doesn't name the affected disk; the window does. */
function notSaved({ notices }: AppState, t: Translation): Situation | undefined {
  const notice = notices.find(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')
  if (notice === undefined) return undefined
  return calling(notice.kind === 'diskFull' ? t.tray.diskFull : t.tray.dataNotWritten, [])
}

function undecided(state: AppState, t: Translation): Situation | undefined {
  const entry = state.outbox.find(
    ({ state: now }) => now.kind === 'refused' || (now.kind === 'unknown' && !now.checking),
  )
  if (entry === undefined) return undefined
  const name = jobName(entry, t)
  const line = entry.state.kind === 'refused' ? t.tray.refusedOf({ name }) : t.tray.didItArrive({ name })
  return calling(line, [action(t.tray.choose, { do: 'showRecord', id: entry.id })])
}

function problems(state: AppState, t: Translation): Situation | undefined {
  const record = state.lastProblem
  if (record === null || state.unseen === 0) return undefined
  const { id, outcome } = record
  const title = titleOf(jobOf([record]))
  const name = jobName(title, t)
  const count = outcome?.kind === 'problems' ? outcome.problems : (title.files ?? 1)
  const line =
    outcome?.kind === 'problems'
      ? t.tray.problemsOf({ name, problems: t.count.problems({ count }) })
      : t.tray.failedOf({ name })
  return {
    icon: 'attention',
    tooltip: t.tray.jobsHaveProblems({ count: state.unseen }),
    lines: [line],
    actions: [
      action(t.tray.showProblems, { do: 'showRecord', id }),
      action(t.tray.retryFiles({ count }), { do: 'retry', id }),
    ],
  }
}

const isOffline = ({ view: { state } }: ServiceInUse): boolean =>
  state.status === 'offline' || state.status === 'wrongVersion'

function offline(service: ServiceInUse | undefined, t: Translation): Situation | undefined {
  if (service === undefined || !isOffline(service)) return undefined
  const { view, named } = service
  const waiting = service.waiting()
  return {
    icon: 'offline',
    tooltip: named(waiting === 0 ? t.tray.offline : t.tray.offlineWaiting({ count: waiting })),
    lines: [
      named(connectionLine(view, t)),
      ...(waiting === 0 ? [] : [t.tray.jobsWaitHere({ count: waiting })]),
    ],
    actions: service.isMain
      ? [
          ...(view.kind === 'builtIn' ? [] : [action(t.tray.useBuiltIn, { do: 'useBuiltIn' })]),
          action(t.tray.tryAgain, { do: 'tryAgain' }),
        ]
      : [],
  }
}

function busy(jobs: readonly Job[], t: Translation): Situation | undefined {
  const current = jobs.find(
    (item) => (stateOf(item) === 'now' && !isHeld(item)) || stateOf(item) === 'uploading',
  )
  if (current === undefined) return undefined
  const { stage, share, timeLeft } = progressOf(current)
  const percent = stage === 'processing' && share !== null ? t.percent(share) : null
  const waiting = jobs.filter(({ turn }) => turn !== null).length
  const rest = waiting === 0 ? [] : [t.tray.waiting({ count: waiting })]
  const doing =
    stage === 'uploading' ? t.stage.uploading : stage === 'cancelling' ? t.stage.cancelling : t.tray.working
  const second = [...(timeLeft === null ? [] : [t.timeLeft(timeLeft, 'start')]), ...rest]
  return {
    icon: 'busy',
    tooltip: t.listed([percent ?? doing, ...(timeLeft === null ? [] : [t.timeLeft(timeLeft)]), ...rest]),
    lines: [
      t.listed([jobName(titleOf(current), t), percent ?? doing]),
      ...(second.length === 0 ? [] : [t.listed(second)]),
    ],
    actions: stage === 'processing' ? [action(t.tray.cancelThis, { do: 'cancel', id: idOf(current) })] : [],
  }
}

type Progress = Pick<PartAt<'service'>['progress'], 'share' | 'timeLeft'> & {
  readonly stage: PartAt<'service'>['stage']['kind']
}

function progressOf(item: Job): Progress {
  const part = currentPart(item)
  const stage = part.at === 'service' && part.stage.kind !== 'queued' ? part.stage.kind : 'processing'
  return { stage, share: shareOf(item), timeLeft: timeLeftOf(item) }
}

function idle(state: AppState, jobs: readonly Job[], t: Translation): Situation {
  const { wait } = state.quiet
  const waiting = countWaiting(jobs) + jobs.filter(isHeld).length
  const isQuiet = wait !== null && (waiting > 0 || wait.reason === 'paused')
  const held = waiting === 0 ? [] : [t.tray.jobsWaitHere({ count: waiting })]
  const idling = (tooltip: string, line: string): Situation => ({
    icon: 'idle',
    tooltip,
    lines: [line, ...held],
    actions: [],
  })
  if (!isQuiet) return idling(t.tray.nothingToDo, connectionLine(state.connection, t))
  const words = quietWords(wait, t)
  return idling(waiting === 0 ? words : t.listed([words, t.tray.waiting({ count: waiting })]), words)
}

function lastResult(state: AppState, t: Translation): readonly TrayItem[] {
  const record = state.lastResult
  if (record === null) return []
  const label = t.tray.showLastResult({ name: jobName(titleOf(jobOf([record])), t) })
  return [DIVIDER, action(label, { do: 'showResult', id: record.id })]
}
