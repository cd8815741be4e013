/** New versions of the app itself, through electron-updater, for a package that says where they are published. */
import type { App } from 'electron'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Handlers } from '../../shared/ipc/contract.ts'
import type { Settings } from '../settings/index.ts'
import type { StateStore } from '../state/state.ts'
import type { Timing } from '../../node/timing.ts'
import { createUpdates, lastCheckIn, type Updater, type Updates } from '../updates/updates.ts'

export type SelfUpdateOptions = {
  readonly app: Pick<App, 'isPackaged'>
  /** What would be put in its place is the edition that is installed. */
  readonly isPortable: boolean
  /** What electron-builder puts into a package that was given a feed. */
  readonly feedFile: string
  readonly state: StateStore
  readonly settings: Pick<Settings, 'view'>
  readonly dataFolder: string
  readonly timing: Timing
  /** Loaded only when it is wanted: it is not small. */
  readonly loadUpdater: () => Promise<Updater>
  readonly log: (event: string, facts: Readonly<Record<string, unknown>>) => void
}

const NEVER: Handlers['updates'] = { check: () => false, install: () => false }

export function startSelfUpdates(options: SelfUpdateOptions): Handlers['updates'] {
  if (!options.app.isPackaged || !existsSync(options.feedFile)) {
    options.state.set({ update: { status: 'noSource' } })
    return NEVER
  }
  if (options.isPortable) {
    options.state.set({ update: { status: 'portable' } })
    return NEVER
  }
  let updates: Updates | undefined
  options.loadUpdater().then(
    (updater) => {
      updates = follow(updater, options)
    },
    (error: unknown) => options.log('updates are not possible', { error: String(error) }),
  )
  return { check: () => updates?.checkNow() ?? false, install: () => updates?.install() ?? false }
}

function follow(updater: Updater, { state, settings, dataFolder, timing, log }: SelfUpdateOptions): Updates {
  const updates = createUpdates({
    updater,
    lastCheck: lastCheckIn(join(dataFolder, 'last-update-check')),
    isEnabled: () => settings.view().checkForUpdates,
    isBusy: () => state.get().jobs.length + state.get().outbox.length > 0,
    onChange: (update) => state.set({ update }),
    timing,
    log,
  })
  state.onChange((now, before) => {
    if (now.jobs !== before.jobs || now.outbox !== before.outbox || now.settings !== before.settings)
      updates.refresh()
  })
  return updates
}
