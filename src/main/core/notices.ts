import type { Log } from '../../node/log.ts'
import { API_VERSION } from '../../shared/api/limits.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { countWaiting, unfinishedJobs } from '../../shared/model/job-state.ts'
import { NOTICE_ORDER, type Damage, type Notice } from '../../shared/model/notice.ts'
import { messageOf } from '../../node/errors.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { CoreEvents, Events } from './events.ts'

/** Problems that aren't part of the app state. */
export type Trouble = {
  /** Damaged databases that were moved aside, until the user dismisses the notice. */
  readonly damaged: readonly Damage[]
  /** File names of invalid presets, until the user dismisses the notice. */
  readonly damagedPresets: readonly string[]
  /** Path of the copy of damaged settings, until the user dismisses the notice. */
  readonly damagedSettings: string | null
  /** Names of stored settings that can't be read, until the user dismisses the notice. */
  readonly unreadSettings: readonly string[]
  /** The app's data folder if its files have disappeared. */
  readonly dataGone: string | null
  /** The app's data folder and the reason if its files can't be written. */
  readonly notWritten: Omit<Extract<Notice, { kind: 'dataNotWritten' }>, 'kind'> | null
  /** The folder whose disk is full. */
  readonly fullDisk: string | null
}

/** Returns the notices to show, most urgent first. Pure. */
export function noticesOf(
  state: Pick<AppState, 'connection' | 'jobs' | 'outbox' | 'endedParts' | 'settings'>,
  trouble: Trouble,
): readonly Notice[] {
  const notices = [
    ...connectionNotices(state),
    ...(trouble.dataGone === null ? [] : [{ kind: 'dataGone', folder: trouble.dataGone } as const]),
    ...(trouble.notWritten === null ? [] : [{ kind: 'dataNotWritten', ...trouble.notWritten } as const]),
    ...(trouble.fullDisk === null ? [] : [{ kind: 'diskFull', folder: trouble.fullDisk } as const]),
    ...(trouble.damagedSettings === null
      ? []
      : [{ kind: 'settingsDamaged', keptAs: trouble.damagedSettings } as const]),
    ...(trouble.unreadSettings.length === 0
      ? []
      : [{ kind: 'settingsUnread', names: trouble.unreadSettings } as const]),
    ...trouble.damaged.map((damage) => ({ kind: 'memoryDamaged', ...damage }) as const),
    ...(trouble.damagedPresets.length === 0
      ? []
      : [{ kind: 'presetsDamaged', files: trouble.damagedPresets } as const]),
  ]
  return notices.toSorted((a, b) => NOTICE_ORDER.indexOf(a.kind) - NOTICE_ORDER.indexOf(b.kind))
}

function connectionNotices({
  connection,
  settings,
  ...work
}: Pick<AppState, 'connection' | 'jobs' | 'outbox' | 'endedParts' | 'settings'>): Notice[] {
  const waiting = () => countWaiting(unfinishedJobs(work))
  const { state, keychainTrouble, key, kind } = connection
  // The key couldn't be read from the keychain, so the service hasn't rejected it.
  if (kind === 'external' && keychainTrouble !== null && key === 'none') {
    return [{ kind: 'noKeychain', trouble: keychainTrouble }]
  }
  switch (state.status) {
    case 'keyRefused':
      return [{ kind: 'keyRejected', waiting: waiting() }]
    case 'offline':
      return state.reason === 'builtInFailed'
        ? [{ kind: 'builtInFailed', reason: state.detail ?? '' }]
        : [{ kind: 'notRunning', waiting: waiting() }]
    case 'wrongVersion':
      return [{ kind: 'otherVersion', version: state.version }]
    case 'online':
      return state.version === API_VERSION || settings.acceptedVersions.includes(state.version)
        ? []
        : [{ kind: 'otherVersion', version: state.version }]
    case 'connecting':
    case 'unconfigured':
      return []
  }
}

const NONE = { documents: [] }

export type PresetWatching = {
  /** `to('builtIn')` returns undefined if the built-in service isn't in use. */
  readonly lines: { to(service: string): unknown }
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly notices: { reportDamagedPresets(files: readonly string[]): void }
}

/** Shows a notice about presets that the built-in service can't parse, now and whenever the presets are reread. */
export function reportDamagedPresets(
  core: PresetWatching,
  presets: Pick<PresetFiles, 'list'>,
  log: Log,
): void {
  const refresh = async (): Promise<void> => {
    const { documents } = core.lines.to('builtIn') !== undefined ? await presets.list() : NONE
    const damaged = documents.filter(({ problems }) => problems.length > 0)
    core.notices.reportDamagedPresets(damaged.map(({ name }) => name))
  }
  const refreshSoon = () =>
    void refresh().catch((error: unknown) => log('presets not checked', { error: messageOf(error) }))
  core.events.on('connectionChanged', refreshSoon)
  refreshSoon()
}
