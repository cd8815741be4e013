/**
 * What the tray shows, from the state alone. Of several reasons the first in this order counts: attention, offline, busy,
 * idle. Everything here is in the window too, because there may be no tray.
 */
import type { AppState } from '../../../shared/model/app-state.ts'
import type { RecordId } from '../../../shared/model/ids.ts'
import { connectionLine, workName, type Wording } from '../../../shared/i18n/index.ts'

export type TrayIcon = 'idle' | 'busy' | 'attention' | 'offline'

export type TrayAction =
  | { readonly do: 'newJob' | 'pasteImage' | 'open' | 'settings' | 'quit' }
  | { readonly do: 'enterKey' | 'useBuiltIn' | 'tryAgain' | 'resume' }
  | { readonly do: 'cancel' | 'showRecord' | 'retry' | 'showResult'; readonly id: RecordId }

export type TrayItem =
  | { readonly kind: 'text'; readonly label: string }
  | { readonly kind: 'divider' }
  | { readonly kind: 'action'; readonly label: string; readonly action: TrayAction }

export type TrayView = {
  readonly icon: TrayIcon
  readonly tooltip: string
  readonly items: readonly TrayItem[]
}

/** What stands above the part that is always there. */
type Situation = {
  readonly icon: TrayIcon
  readonly tooltip: string
  readonly lines: readonly string[]
  /** Actions of this situation; an empty list leaves the group out. */
  readonly actions: readonly TrayItem[]
}

const DIVIDER: TrayItem = { kind: 'divider' }
const text = (label: string): TrayItem => ({ kind: 'text', label })
const action = (label: string, does: TrayAction): TrayItem => ({ kind: 'action', label, action: does })

export function trayView(state: AppState, wording: Wording): TrayView {
  const situation =
    attention(state, wording) ?? offline(state, wording) ?? busy(state, wording) ?? idle(state, wording)
  const { icon, tooltip, lines, actions } = situation
  const newJob = [
    action(wording.say('tray.newJob'), { do: 'newJob' }),
    action(wording.say('tray.pasteImage'), { do: 'pasteImage' }),
  ]
  // A running job's own action stands with the new ones; in the other states it has a group of its own.
  const middle = icon === 'busy' ? [...actions, ...newJob] : withDivider(actions, newJob)
  return {
    icon,
    tooltip,
    items: [
      ...lines.map(text),
      DIVIDER,
      ...middle,
      ...(icon === 'idle' ? lastResult(state, wording) : []),
      DIVIDER,
      action(wording.say('tray.open'), { do: 'open' }),
      action(wording.say('tray.settings'), { do: 'settings' }),
      action(wording.say('tray.quit'), { do: 'quit' }),
    ],
  }
}

const withDivider = (first: readonly TrayItem[], second: readonly TrayItem[]): readonly TrayItem[] =>
  first.length === 0 ? second : [...first, DIVIDER, ...second]

const waitingHere = (state: AppState): number =>
  state.outbox.filter((entry) => entry.state.kind === 'waiting').length

function attention(state: AppState, wording: Wording): Situation | undefined {
  if (state.connection.state.status === 'keyRefused') {
    const line = wording.say('notification.keyRejected')
    return {
      icon: 'attention',
      tooltip: line,
      lines: [line],
      actions: [action(wording.say('tray.enterKey'), { do: 'enterKey' })],
    }
  }
  return undecided(state, wording) ?? problems(state, wording)
}

function undecided(state: AppState, wording: Wording): Situation | undefined {
  const entry = state.outbox.find(
    ({ state: now }) => now.kind === 'refused' || (now.kind === 'unknown' && !now.checking),
  )
  if (entry === undefined) return undefined
  const name = workName(entry, wording)
  const line =
    entry.state.kind === 'refused'
      ? wording.say('tray.refusedOf', { name })
      : wording.say('tray.didItArrive', { name })
  return {
    icon: 'attention',
    tooltip: line,
    lines: [line],
    actions: [action(wording.say('tray.choose'), { do: 'showRecord', id: entry.id })],
  }
}

function problems(state: AppState, wording: Wording): Situation | undefined {
  const record = state.lastProblem
  if (record === null || state.unseen === 0) return undefined
  const name = workName(record, wording)
  const { outcome, id } = record
  const count = outcome?.kind === 'problems' ? outcome.problems : (record.files ?? 1)
  const line =
    outcome?.kind === 'problems'
      ? wording.say('tray.problemsOf', { name, problems: wording.say('count.problems', { count }) })
      : wording.say('tray.failedOf', { name })
  return {
    icon: 'attention',
    tooltip: wording.say('tray.jobsHaveProblems', { count: state.unseen }),
    lines: [line],
    actions: [
      action(wording.say('tray.showProblems'), { do: 'showRecord', id }),
      action(wording.say('tray.retryFiles', { count }), { do: 'retry', id }),
    ],
  }
}

function offline(state: AppState, wording: Wording): Situation | undefined {
  const { connection } = state
  if (connection.state.status !== 'offline' && connection.state.status !== 'wrongVersion') return undefined
  const waiting = waitingHere(state)
  return {
    icon: 'offline',
    tooltip:
      waiting === 0 ? wording.say('tray.offline') : wording.say('tray.offlineWaiting', { count: waiting }),
    lines: [
      connectionLine(connection, wording),
      ...(waiting === 0 ? [] : [wording.say('tray.jobsWaitHere', { count: waiting })]),
    ],
    actions: [
      ...(connection.kind === 'builtIn'
        ? []
        : [action(wording.say('tray.useBuiltIn'), { do: 'useBuiltIn' })]),
      action(wording.say('tray.tryAgain'), { do: 'tryAgain' }),
    ],
  }
}

function busy(state: AppState, wording: Wording): Situation | undefined {
  const current = state.jobs.find((job) => job.stage.kind !== 'queued')
  if (current === undefined) return undefined
  const { share, timeLeft } = current.progress
  const percent = current.stage.kind === 'processing' && share !== null ? wording.percent(share) : null
  const upNext = state.jobs.filter((job) => job.stage.kind === 'queued').length
  const waiting = waitingHere(state)
  const rest = [
    ...(upNext === 0 ? [] : [wording.say('tray.upNext', { count: upNext })]),
    ...(waiting === 0 ? [] : [wording.say('tray.waitingHere', { count: waiting })]),
  ]
  const stage =
    current.stage.kind === 'uploading'
      ? wording.say('stage.uploading')
      : current.stage.kind === 'cancelling'
        ? wording.say('stage.cancelling')
        : wording.say('tray.working')
  const second = [...(timeLeft === null ? [] : [wording.timeLeft(timeLeft, 'start')]), ...rest]
  return {
    icon: 'busy',
    tooltip: [
      percent ?? stage,
      ...(timeLeft === null ? [] : [wording.timeLeft(timeLeft)]),
      ...rest.slice(0, 1),
    ].join(', '),
    lines: [
      `${workName(current, wording)}, ${percent ?? stage}`,
      ...(second.length === 0 ? [] : [second.join(', ')]),
    ],
    actions:
      current.stage.kind === 'processing'
        ? [action(wording.say('tray.cancelThis'), { do: 'cancel', id: current.id })]
        : [],
  }
}

function idle(state: AppState, wording: Wording): Situation {
  const waiting = waitingHere(state)
  const paused = state.outboxPaused && waiting > 0
  return {
    icon: 'idle',
    tooltip: paused
      ? `${wording.say('tray.pausedHere')}, ${wording.say('tray.waitingHere', { count: waiting })}`
      : wording.say('tray.nothingToDo'),
    lines: [
      connectionLine(state.connection, wording),
      ...(waiting === 0 ? [] : [wording.say('tray.jobsWaitHere', { count: waiting })]),
    ],
    actions: paused ? [action(wording.say('tray.resume'), { do: 'resume' })] : [],
  }
}

function lastResult(state: AppState, wording: Wording): readonly TrayItem[] {
  const record = state.lastResult
  if (record === null) return []
  const label = wording.say('tray.showLastResult', { name: workName(record, wording) })
  return [DIVIDER, action(label, { do: 'showResult', id: record.id })]
}
