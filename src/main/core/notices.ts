import { API_VERSION } from '../../shared/api/limits.ts'
import type { AppState } from '../../shared/model/app-state.ts'
import { NOTICE_ORDER, type Damage, type Notice } from '../../shared/model/notice.ts'
import { messageOf } from '../../node/errors.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { PresetFiles } from '../presets/presets.ts'
import type { CoreEvents, Events, Log } from './events.ts'

/** What no slice of the state says. */
export type Trouble = {
  /** Databases that were damaged and set aside, and nobody has read it yet. */
  readonly damaged: readonly Damage[]
  /** Presets that can't be used, by their file names, and nobody has read it yet. */
  readonly damagedPresets: readonly string[]
  /** Where the copy of damaged settings is, and nobody has read it yet. */
  readonly damagedSettings: string | null
  /** The folder of the app's own data, where its files are no longer in it. */
  readonly dataGone: string | null
  /** The folder on whose disk there is no room. */
  readonly fullDisk: string | null
}

/** What has to be said over both columns, the most pressing first. Pure. */
export function noticesOf(
  state: Pick<AppState, 'connection' | 'outbox' | 'settings'>,
  trouble: Trouble,
): readonly Notice[] {
  const notices = [
    ...connectionNotices(state),
    ...(trouble.dataGone === null ? [] : [{ kind: 'dataGone', folder: trouble.dataGone } as const]),
    ...(trouble.fullDisk === null ? [] : [{ kind: 'diskFull', folder: trouble.fullDisk } as const]),
    ...(trouble.damagedSettings === null
      ? []
      : [{ kind: 'settingsDamaged', keptAs: trouble.damagedSettings } as const]),
    ...trouble.damaged.map((damage) => ({ kind: 'memoryDamaged', ...damage }) as const),
    ...(trouble.damagedPresets.length === 0
      ? []
      : [{ kind: 'presetsDamaged', files: trouble.damagedPresets } as const]),
  ]
  return notices.toSorted((a, b) => NOTICE_ORDER.indexOf(a.kind) - NOTICE_ORDER.indexOf(b.kind))
}

function connectionNotices({
  connection,
  outbox,
  settings,
}: Pick<AppState, 'connection' | 'outbox' | 'settings'>): Notice[] {
  const waiting = () => outbox.filter((entry) => entry.state.kind === 'waiting').length
  const { state, keychainTrouble, key, kind } = connection
  // A key that can't be read from the keychain was not rejected by anybody.
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
  readonly connection: { view(): Pick<ConnectionView, 'kind'> }
  readonly events: Pick<Events<CoreEvents>, 'on'>
  readonly notices: { sayDamagedPresets(files: readonly string[]): void }
}

/** Says which presets the built-in service can't understand, now and again when it has read them anew. */
export function sayDamagedPresets(core: PresetWatching, presets: Pick<PresetFiles, 'list'>, log: Log): void {
  const refresh = async (): Promise<void> => {
    const { documents } = core.connection.view().kind === 'builtIn' ? await presets.list() : NONE
    const damaged = documents.filter(({ problems }) => problems.length > 0)
    core.notices.sayDamagedPresets(damaged.map(({ name }) => name))
  }
  const refreshSoon = () =>
    void refresh().catch((error: unknown) => log('presets not looked at', { error: messageOf(error) }))
  core.events.on('connectionChanged', refreshSoon)
  refreshSoon()
}
