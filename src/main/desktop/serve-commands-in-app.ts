/** Lets commands use the running app. */
import type { Log } from '../../node/log.ts'
import { messageOf } from '../../node/errors.ts'
import type { Timing } from '../../node/timing.ts'
import type { BuiltInEnd, BuiltInService, GivenKeys } from '../connection/index.ts'
import type { Core } from '../core/index.ts'
import type { OwnerLock } from '../database/index.ts'
import type { Owner } from '../cli/index.ts'
import { POWER_SUPPLIES } from '../quiet/index.ts'
import { serveCommands } from '../serve/index.ts'
import type { AppPaths } from './paths.ts'

export type StopServing = ReturnType<typeof serveCommandsInApp>

export function serveCommandsInApp(options: {
  readonly core: Core
  readonly builtIn: BuiltInService
  readonly keyStore: GivenKeys
  readonly paths: AppPaths
  readonly timing: Timing
  readonly lock: OwnerLock
  /** Called when the data folder no longer belongs to the app. */
  readonly onLost: () => void
  /** Called when an installer is about to replace or remove the program. */
  readonly onReplaced: () => void
  readonly log: Log
}) {
  const { core, builtIn, keyStore, paths, timing, lock, log } = options
  const program = {
    platform: process.platform,
    timing,
    node: paths.node,
    builtInEntry: paths.service,
    noticesFile: paths.notices,
    powerSupplies: POWER_SUPPLIES,
  }
  let opened: Owner | undefined
  let isContinued = false
  let isLost = false
  function lose(): void {
    if (isLost) return
    isLost = true
    log('the data folder was moved or has another owner', { folder: paths.data })
    options.onLost()
  }
  const serving = serveCommands(
    paths.data,
    process,
    async (terminal) => {
      // Loaded on demand, because most users of the app don't run commands.
      const { ownerInApp, runCli } = await import('../cli/index.ts')
      opened ??= ownerInApp(core, { builtIn, keyStore, timing })
      const env = { ...terminal.env, MEDIATRAY_DATA_DIR: paths.data }
      return runCli({ ...program, ...terminal, env, owner: opened })
    },
    {
      onChange: () => undefined,
      end: (reason) => (reason === 'update' ? options.onReplaced() : undefined),
      onLost: lose,
      lock,
    },
  ).catch((error: unknown) => {
    log('commands can’t use the app', { error: messageOf(error) })
  })
  return {
    /**
     * Stops serving commands.
     * @param isUpdate whether the program's files are about to be replaced, so that no command may continue
     */
    stop: async (isUpdate = false): Promise<void> => {
      isContinued = (await (await serving)?.close(isUpdate)) === true
      await opened?.close()
    },
    /**
     * Returns whether to stop the built-in service after `stop`, or to leave it to the host that continues the commands or to the data
     * folder's new owner. A program that was unpacked for this run stops the service, because the program's files are removed when it ends.
     */
    builtIn: (): BuiltInEnd =>
      (isContinued || isLost) && !process.env['APPIMAGE'] && !process.env['PORTABLE_EXECUTABLE_FILE']
        ? 'leave'
        : 'stop',
    isLost: (): boolean => isLost,
    /** Gives up the data folder. Call this after the core has been closed. */
    release: lock.release,
  }
}
