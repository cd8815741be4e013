/** Opens the vault with the app's settings. */
import { homedir } from 'node:os'
import { join } from 'node:path'
import { wholeMs } from '../../node/whole-ms.ts'
import { openVault, type Vault, type VaultOptions } from '../vault/index.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoreEvents, Events } from './events.ts'
import { openSavedResults, type SavedResults } from '../watch/index.ts'
import { watchedFileIn } from './note-saved.ts'

type VaultUse = {
  readonly dataDir: string
  readonly home?: string
  readonly settings: Settings
  readonly timing: Timing
  readonly log: Log
}

export function openVaultIn(
  { dataDir, home = homedir(), settings, timing, log }: VaultUse,
  events: Events<CoreEvents>,
): Vault {
  const saved = openSavedResults(watchedFileIn(dataDir), timing.clock)
  const vault = openVault({
    file: join(dataDir, 'replacements.db'),
    home,
    clock: timing.clock,
    keepDays: () => settings.keepOriginals(),
    onKeepDays: (keepOriginalsDays) => void settings.update({ keepOriginalsDays }),
    notePlacing: notingIn(saved),
    onChange: events.tell('originalsChanged'),
    onReleased: events.tell('originalsReleased'),
    onSetAside: (keptAs) => events.tell('databaseSetAside')({ what: 'replacements', keptAs }),
    log,
  })
  return {
    ...vault,
    async close() {
      await vault.close()
      saved.close()
    },
  }
}

/** A watched folder must not take a result or a restored original for a new file. */
export const notingIn =
  (saved: Pick<SavedResults, 'note'>): VaultOptions['notePlacing'] =>
  (path, { size, sha256: content, inode, born }, kind) => {
    const identity = born === undefined ? {} : { inode: String(inode), born: wholeMs(born) }
    saved.note({ path, size, content, ...identity }, kind)
  }
