/**
 * Derives the tray's content from the state. The first matching icon wins: attention, offline, busy, idle. Everything shown here is
 * also available in the window, because there may be no tray.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { workName } from '../../../shared/i18n/names.ts'
import { shownText } from '../../../shared/paths.ts'
import { starredOf } from '../../../shared/preset/starred.ts'
import type { UserAction } from '../user-action.ts'
import { connectionLine } from '../../../shared/i18n/sentences.ts'

export type TrayIcon = 'idle' | 'busy' | 'attention' | 'offline'

export type TrayItem =
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'divider' }
  | { readonly kind: 'action'; readonly label: string; readonly action: UserAction }

export type TrayView = {
  readonly icon: TrayIcon
  readonly tooltip: string
  readonly items: readonly TrayItem[]
}

/** The part of the menu above the fixed items. */
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
  const situation = attention(state, t) ?? offline(state, t) ?? busy(state, t) ?? idle(state, t)
  const { icon, tooltip, lines, actions } = situation
  const newJob = [action(t.tray.newJob, { do: 'newJob' }), action(t.tray.pasteImage, { do: 'pasteImage' })]
  const starting = withDivider(starred(state, t), newJob)
  // A running job's action follows those that start a job. In other states, the actions are about what the first line reports.
  const middle = icon === 'busy' ? withDivider(starting, actions) : withDivider(actions, starting)
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

const starred = ({ settings, connection }: AppState, t: Translation): readonly TrayItem[] =>
  starredOf(settings.starredPresets, connection.presets).map(({ name }) =>
    action(t.tray.startWith({ preset: shownText(name) }), { do: 'startWith', preset: name }),
  )

const waitingHere = (state: AppState): number =>
  state.outbox.filter((entry) => entry.state.kind === 'waiting').length

function attention(state: AppState, t: Translation): Situation | undefined {
  if (state.connection.state.status === 'keyRefused') {
    const line = t.notification.keyRejected
    return {
      icon: 'attention',
      tooltip: line,
      lines: [line],
      actions: [action(t.tray.enterKey, { do: 'enterKey' })],
    }
  }
  return notSaved(state, t) ?? undecided(state, t) ?? problems(state, t)
}

/** Doesn't name the affected disk; the window does. */
function notSaved({ notices }: AppState, t: Translation): Situation | undefined {
  const notice = notices.find(({ kind }) => kind === 'diskFull' || kind === 'dataNotWritten')
  if (notice === undefined) return undefined
  const line = notice.kind === 'diskFull' ? t.tray.diskFull : t.tray.dataNotWritten
  return { icon: 'attention', tooltip: line, lines: [line], actions: [] }
}

function undecided(state: AppState, t: Translation): Situation | undefined {
  const entry = state.outbox.find(
    ({ state: now }) => now.kind === 'refused' || (now.kind === 'unknown' && !now.checking),
  )
  if (entry === undefined) return undefined
  const name = workName(entry, t)
  const line = entry.state.kind === 'refused' ? t.tray.refusedOf({ name }) : t.tray.didItArrive({ name })
  return {
    icon: 'attention',
    tooltip: line,
    lines: [line],
    actions: [action(t.tray.choose, { do: 'showRecord', id: entry.id })],
  }
}

function problems(state: AppState, t: Translation): Situation | undefined {
  const record = state.lastProblem
  if (record === null || state.unseen === 0) return undefined
  const name = workName(record, t)
  const { outcome, id } = record
  const count = outcome?.kind === 'problems' ? outcome.problems : (record.files ?? 1)
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

function offline(state: AppState, t: Translation): Situation | undefined {
  const { connection } = state
  if (connection.state.status !== 'offline' && connection.state.status !== 'wrongVersion') return undefined
  const waiting = waitingHere(state)
  return {
    icon: 'offline',
    tooltip: waiting === 0 ? t.tray.offline : t.tray.offlineWaiting({ count: waiting }),
    lines: [
      connectionLine(connection, t),
      ...(waiting === 0 ? [] : [t.tray.jobsWaitHere({ count: waiting })]),
    ],
    actions: [
      ...(connection.kind === 'builtIn' ? [] : [action(t.tray.useBuiltIn, { do: 'useBuiltIn' })]),
      action(t.tray.tryAgain, { do: 'tryAgain' }),
    ],
  }
}

function busy(state: AppState, t: Translation): Situation | undefined {
  const current = state.jobs.find((job) => job.stage.kind !== 'queued')
  if (current === undefined) return undefined
  const { share, timeLeft } = current.progress
  const percent = current.stage.kind === 'processing' && share !== null ? t.percent(share) : null
  const upNext = state.jobs.filter((job) => job.stage.kind === 'queued').length
  const waiting = waitingHere(state)
  const rest = [
    ...(upNext === 0 ? [] : [t.tray.upNext({ count: upNext })]),
    ...(waiting === 0 ? [] : [t.tray.waitingHere({ count: waiting })]),
  ]
  const stage =
    current.stage.kind === 'uploading'
      ? t.stage.uploading
      : current.stage.kind === 'cancelling'
        ? t.stage.cancelling
        : t.tray.working
  const second = [...(timeLeft === null ? [] : [t.timeLeft(timeLeft, 'start')]), ...rest]
  return {
    icon: 'busy',
    tooltip: [
      percent ?? stage,
      ...(timeLeft === null ? [] : [t.timeLeft(timeLeft)]),
      ...rest.slice(0, 1),
    ].join(', '),
    lines: [
      `${workName(current, t)}, ${percent ?? stage}`,
      ...(second.length === 0 ? [] : [second.join(', ')]),
    ],
    actions:
      current.stage.kind === 'processing'
        ? [action(t.tray.cancelThis, { do: 'cancel', id: current.id })]
        : [],
  }
}

function idle(state: AppState, t: Translation): Situation {
  const waiting = waitingHere(state)
  const paused = state.outboxPaused && waiting > 0
  return {
    icon: 'idle',
    tooltip: paused ? `${t.tray.pausedHere}, ${t.tray.waitingHere({ count: waiting })}` : t.tray.nothingToDo,
    lines: [
      connectionLine(state.connection, t),
      ...(waiting === 0 ? [] : [t.tray.jobsWaitHere({ count: waiting })]),
    ],
    actions: paused ? [action(t.tray.resume, { do: 'resume' })] : [],
  }
}

function lastResult(state: AppState, t: Translation): readonly TrayItem[] {
  const record = state.lastResult
  if (record === null) return []
  const label = t.tray.showLastResult({ name: workName(record, t) })
  return [DIVIDER, action(label, { do: 'showResult', id: record.id })]
}
