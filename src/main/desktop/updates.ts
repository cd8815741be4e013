/** New versions of the app itself, through electron-updater, for a package that says where they are published. */
import type { App } from 'electron'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Handlers } from '../../shared/ipc/contract.ts'
import type { Settings } from '../settings/settings.ts'
import type { StateStore } from '../state/state.ts'
import type { Timing } from '../../node/timing.ts'
import {
  checkFeed,
  createUpdates,
  lastCheckIn,
  readUpdateTrust,
  UPDATE_TRUST_FILE,
  type Updater,
  type Updates,
} from '../updates/index.ts'

export type SelfUpdateOptions = {
  readonly app: Pick<App, 'isPackaged'>
  /** What would be put in its place is the edition that is installed. */
  readonly isPortable: boolean
  /** The package's folder of resources. */
  readonly resources: string
  readonly platform: NodeJS.Platform
  readonly arch: string
  /** @throws where there is no answer, or none that is a success */
  readonly fetchBytes: (url: string) => Promise<Uint8Array>
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
  const trust = trustOf(options)
  if (typeof trust === 'string') {
    options.state.set({ update: { status: trust } })
    return NEVER
  }
  let updates: Updates | undefined
  options.loadUpdater().then(
    (updater) => {
      updates = follow(updater, trust.feedKey, options)
    },
    (error: unknown) => options.log('updates are not possible', { error: String(error) }),
  )
  return { check: () => updates?.checkNow() ?? false, install: () => updates?.install() ?? false }
}

/** What electron-builder puts into a package that was given a feed. */
const feedFileIn = (resources: string): string => join(resources, 'app-update.yml')

/** What a newer version is held against, or why there never is one. */
function trustOf({
  app,
  isPortable,
  resources,
  platform,
}: SelfUpdateOptions): { readonly feedKey: string | null } | 'noSource' | 'portable' | 'unsigned' {
  if (!app.isPackaged || !existsSync(feedFileIn(resources))) return 'noSource'
  if (isPortable) return 'portable'
  const { signed, key } = readUpdateTrust(join(resources, UPDATE_TRUST_FILE))
  if (!signed) return 'unsigned'
  // macOS and Windows look at the signature of the program itself.
  if (platform !== 'linux') return { feedKey: null }
  return key === null ? 'unsigned' : { feedKey: key }
}

/** @param key of the feeds; null where the system itself checks the signature of a new version */
function follow(updater: Updater, key: string | null, options: SelfUpdateOptions): Updates {
  const { state, settings, dataFolder, timing, log, arch, fetchBytes, resources } = options
  const updates = createUpdates({
    updater,
    verify:
      key === null
        ? undefined
        : async (found) =>
            checkFeed(found, {
              appUpdateYml: await readFile(feedFileIn(resources), 'utf8'),
              key,
              arch,
              fetchBytes,
            }),
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
