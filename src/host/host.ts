/**
 * The owner of a data folder while the app doesn't run: the core without Electron. The first command starts it in the background. It ends
 * a few seconds after its last client has disconnected and its last work is done.
 */
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'
import * as z from 'zod'
import { isReserved, type OwnerLock, takeOwnership } from '../main/database/owner-lock.ts'
import type { Owner } from '../main/cli/index.ts'
import type { BuiltInEnd } from '../main/connection/index.ts'
import { EXIT } from '../shared/command-end.ts'
import { dataFolder } from '../node/data-folder.ts'
import { makeFolder } from '../node/make-folder.ts'
import { freeOfSockets } from '../node/owner-link/socket-place.ts'
import { watchProgramFile } from '../node/program-files.ts'
import { systemTiming } from '../node/timing.ts'
import { UMASK } from '../node/umask.ts'

// Compiling a schema pays off only after several hundred parses. Schemas read this setting when they are created, so the rest is loaded
// afterward.
z.config({ jitless: true })

/** How long the host keeps running after its last client and its last work have ended, in ms. */
const LINGER_MS = 10_000
const given = Number(process.env['MEDIATRAY_LINGER_MS'] ?? LINGER_MS)
const lingerMs = given >= 0 ? given : LINGER_MS
/**
 * How long the host waits for its first client, in ms. After that, it ends like a host whose last client has disconnected. A host that
 * couldn't open the data ends immediately.
 */
const FIRST_CLIENT_MS = 10_000
/**
 * How long the host waits after a signal before it ends, in ms. A service manager signals the clients at the same time. Their
 * interrupts must arrive first, because otherwise their commands would continue in another process.
 */
const SAME_SIGNAL_MS = 200
/** How often to check whether any work remains, in ms. */
const CHECK_MS = 500

// The host runs either from its sources or from a bundle next to the service's bundle.
const isSource = import.meta.filename.endsWith('.ts')
const inProject = (source: string, bundle: string) => join(import.meta.dirname, isSource ? source : bundle)
const placeOfHost = {
  env: process.env,
  cwd: process.cwd(),
  home: homedir(),
  platform: process.platform,
  timing: systemTiming,
  node: process.execPath,
  builtInEntry: inProject('../service/main.ts', '../service/main.js'),
  noticesFile: inProject('../../THIRD-PARTY-NOTICES.txt', '../../THIRD-PARTY-NOTICES.txt'),
}

process.stdout.on('error', () => undefined)

/** Reports the result of startup, as one line of JSON, to the client that started this process. */
function tell(news: object): void {
  process.stdout.write(`${JSON.stringify(news)}\n`)
}

/** Loads the core, which accounts for most of the startup time. */
async function load() {
  const { openLog } = await import('../node/log.ts')
  const { openOwner, runCli, whyNotOpened } = await import('../main/cli/index.ts')
  const { POWER_SUPPLIES } = await import('../main/quiet/index.ts')
  const { serveCommands } = await import('../main/serve/index.ts')
  return { openLog, openOwner, POWER_SUPPLIES, runCli, serveCommands, whyNotOpened }
}

async function host(): Promise<void> {
  const dataDir = dataFolder(placeOfHost)
  makeFolder(dataDir)
  // Take the lock first: many clients may start together, and each of them starts a host.
  const taken = takeOwnership(dataDir)
  if (taken === undefined) return tell({ kind: 'elsewhere' })
  const lock: OwnerLock = taken
  // A waiting app has priority. So has an owner that still listens although its lock file was removed.
  if (isReserved(dataDir) || !(await freeOfSockets(dataDir, placeOfHost))) {
    lock.release()
    return tell({ kind: 'elsewhere' })
  }
  const { openLog, openOwner, POWER_SUPPLIES, runCli, serveCommands } = await load()
  const place = { ...placeOfHost, powerSupplies: POWER_SUPPLIES }
  const { log, hide } = openLog(join(dataDir, 'logs'))
  process.on('uncaughtExceptionMonitor', (error) => log('host crashed', { error }))
  let owner: Owner
  try {
    owner = openOwner({
      ...place,
      env: { ...place.env, MEDIATRAY_DATA_DIR: dataDir },
      isReplaced: watchProgramFile(import.meta.filename),
      log,
      hide,
    })
  } catch (error) {
    log('data not opened', { error })
    return serveWithoutData(place, lock, error)
  }
  let cancel: NodeJS.Timeout | undefined
  let idleSince: number | undefined
  let hadClient = false
  const began = systemTiming.monotonic()
  let isEnding = false
  /** Number of commands that this host runs. */
  let running = 0
  const serving = await serveCommands(
    dataDir,
    place,
    async (terminal, umask) => {
      // Another host has to take over, because a host never changes its service or its umask.
      if ((owner.isOutdated() || umask !== UMASK) && running === 0 && !owner.busy()) {
        void end('stop')
        terminal.continueWith?.(terminal.argv)
        return EXIT.interrupted
      }
      owner.sendRest()
      running += 1
      const env = { ...terminal.env, MEDIATRAY_DATA_DIR: dataDir }
      return runCli({ ...place, ...terminal, env, owner }).finally(() => (running -= 1))
    },
    {
      onChange: check,
      end: (reason) => void end(reason === 'yield' ? 'leave' : 'stop', reason === 'update'),
      isIdle: (): boolean => isEnding || (!serving.hasCommands() && !owner.busy()),
      onLost: () => void end('leave'),
      lock,
    },
  ).catch(async (error: unknown) => {
    await owner.close('stop')
    throw error
  })
  tell({ kind: 'listening' })

  function check(): void {
    clearTimeout(cancel)
    if (isEnding) return
    const now = systemTiming.monotonic()
    hadClient ||= serving.clients() > 0 || now - began > FIRST_CLIENT_MS
    const isIdle = hadClient && serving.clients() === 0 && !owner.busy()
    idleSince = isIdle ? (idleSince ?? now) : undefined
    // A moved folder can have another owner only after this one has ended.
    const isOver = idleSince !== undefined && (now - idleSince >= lingerMs || !existsSync(dataDir))
    if (isOver) return void end()
    const left = idleSince === undefined ? CHECK_MS : Math.min(CHECK_MS, lingerMs - (now - idleSince))
    cancel = setTimeout(check, Math.max(1, left))
  }

  /**
   * Ends the host.
   * @param isUpdate whether the program's files are about to be replaced. If so, no command may continue here
   * @param builtIn what happens to the built-in service. By default, the next owner takes it over if a command continues there. Otherwise,
   * it is stopped
   */
  async function end(builtIn?: BuiltInEnd, isUpdate = false): Promise<void> {
    if (isEnding) return
    isEnding = true
    clearTimeout(cancel)
    const isContinued = await serving.close(isUpdate)
    await owner.close(builtIn ?? (isContinued ? 'leave' : 'stop'))
    log('host ended', {})
    lock.release()
    // Libraries may keep handles open.
    process.exit(0)
  }
  const endSoon = () => void setTimeout(() => void end(), SAME_SIGNAL_MS)
  process.on('SIGTERM', endSoon).on('SIGINT', endSoon)
  check()
}

/**
 * Serves commands that don't need the data, and tells other commands why the data can't be opened. Ends with the last client, so that the
 * next command tries again.
 */
async function serveWithoutData(
  place: typeof placeOfHost & { readonly powerSupplies: string },
  lock: OwnerLock,
  notOpened: unknown,
): Promise<void> {
  const dataDir = dataFolder(placeOfHost)
  const { runCli, serveCommands } = await load()
  const end = async () => {
    await serving.close()
    lock.release()
    process.exit(0)
  }
  const serving = await serveCommands(
    dataDir,
    place,
    (terminal) =>
      runCli({
        ...place,
        ...terminal,
        env: { ...terminal.env, MEDIATRAY_DATA_DIR: dataDir },
        owner: { notOpened },
      }),
    {
      onChange: () => void (serving.clients() === 0 && end()),
      end: () => void end(),
      // Another version may be able to open the data.
      isIdle: () => true,
      lock,
    },
  )
  setTimeout(() => void (serving.clients() === 0 && end()), FIRST_CLIENT_MS)
  process.on('SIGTERM', () => void end()).on('SIGINT', () => void end())
  tell({ kind: 'listening' })
}

host().catch(async (error: unknown) => {
  const { whyNotOpened } = await load()
  const failed = { kind: 'failed', ...whyNotOpened(error, dataFolder(placeOfHost)) }
  process.stdout.write(`${JSON.stringify(failed)}\n`, () => process.exit(1))
})
