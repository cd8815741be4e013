import type { Log } from '../../node/log.ts'
import { API_VERSION } from '../../shared/api/limits.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { countWaiting, unfinishedJobs } from '../../shared/model/job-state.ts'
import { NOTICE_ORDER, type Notice } from '../../shared/model/notice.ts'
import { messageOf } from '../../node/errors.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { CoreEvents, Events } from './events.ts'

type Shown = Pick<AppState, 'connection' | 'jobs' | 'outbox' | 'endedParts' | 'settings'>

/**
 * Returns the notices to show, most urgent first. Has no side effects.
 * @param others notices that don't follow from the state
 */
export const noticesOf = (state: Shown, others: readonly Notice[]): readonly Notice[] =>
  [...connectionNotices(state), ...others].toSorted(
    (a, b) => NOTICE_ORDER.indexOf(a.kind) - NOTICE_ORDER.indexOf(b.kind),
  )

function connectionNotices({ connection, settings, ...work }: Shown): Notice[] {
  const waiting = () => countWaiting(unfinishedJobs(work))
  const { state, keychainTrouble, key, kind } = connection
  // The keychain couldn't be read. The service hasn't rejected the key.
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

/** Shows a notice about presets that the built-in service can't parse. Updates the notice when the connection changes. */
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
