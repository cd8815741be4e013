import { homedir } from 'node:os'
import type { DatabaseSync } from 'node:sqlite'
import { wholeMs } from '../../node/whole-ms.ts'
import { openVault, type Vault, type VaultOptions } from '../vault/index.ts'
import type { Log } from '../../node/log.ts'
import type { Timing } from '../../node/timing.ts'
import type { Settings } from '../settings/settings.ts'
import type { CoreEvents, Events } from './events.ts'
import type { ProcessedFiles } from '../watch/index.ts'

type VaultUse = {
  readonly home?: string | undefined
  readonly settings: Settings
  readonly timing: Timing
  readonly log: Log
}

/** @param state the database that has the journal */
export const openVaultIn = (
  state: { readonly file: string; readonly connection: DatabaseSync },
  { home = homedir(), settings, timing, log }: VaultUse,
  processed: ProcessedFiles,
  events: Events<CoreEvents>,
): Vault =>
  openVault({
    file: state.file,
    connection: state.connection,
    home,
    clock: timing.clock,
    keepDays: () => settings.keepOriginals(),
    onKeepDays: (keepOriginalsDays) => void settings.update({ keepOriginalsDays }),
    notePlacing: notingIn(processed, timing.clock),
    onChange: events.tell('originalsChanged'),
    onReleased: events.tell('originalsReleased'),
    log,
  })

/** Creates a function that notes results and restored originals, so that watched folders don't treat them as new files. */
export const notingIn =
  (
    processed: Pick<ProcessedFiles, 'noteResults' | 'noteReturned'>,
    clock: () => number,
  ): VaultOptions['notePlacing'] =>
  (path, { size, sha256: content, inode, born }, kind) => {
    const identity = born === undefined ? {} : { inode: String(inode), born: wholeMs(born) }
    const noted = { path, size, content, ...identity, at: clock() }
    if (kind === 'result') processed.noteResults([noted])
    else processed.noteReturned(noted)
  }
