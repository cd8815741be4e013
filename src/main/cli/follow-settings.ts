import { join } from 'node:path'
import type { Core } from '../core/index.ts'
import { createSettings, openSettingsFile } from '../settings/settings.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { Context } from './context.ts'
import { dataFolder } from './environment.ts'

/** How often to read the settings, in ms. */
const READ_MS = 2_000

/** The settings that a long-running command follows. The service and its key don't change after it started. */
const followed = ({
  watchFolders,
  folderRules,
  afterJob,
  quiet,
  outboxPaused,
  pausedUntil,
  leaveRoom,
  defaultOutput,
  keepOriginalsDays,
}: Settings) => ({
  watchFolders,
  folderRules,
  afterJob,
  quiet,
  outboxPaused,
  pausedUntil,
  leaveRoom,
  defaultOutput,
  keepOriginalsDays,
})

/**
 * Takes over changes to the app's settings while a command runs. A damaged file changes nothing.
 * @returns a function that stops it
 */
export function followSettings({ environment }: Context, core: Core): () => void {
  const { after } = environment.timing
  const file = join(dataFolder(environment), 'settings.json')
  let known = JSON.stringify(followed(core.settings.view()))
  let cancel = after(READ_MS, read)

  function read(): void {
    const store = openSettingsFile(file, { keepsDamaged: false })
    const now = followed(createSettings(store).view())
    if (store.damage === null && JSON.stringify(now) !== known) {
      known = JSON.stringify(now)
      core.settings.update(now)
    }
    cancel = after(READ_MS, read)
  }
  return () => cancel()
}
