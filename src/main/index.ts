/** Entry point of the app: creates the modules in dependency order and starts the desktop shell. */
import { startWorker } from '../media/start-worker.ts'
import { app, autoUpdater, dialog, net, powerMonitor } from 'electron'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { findConfinement, type Confinement } from '../node/confinement.ts'
import { openLog } from '../node/log.ts'
import { systemTiming as timing } from '../node/timing.ts'
import {
  appDiagnostics,
  bootstrap,
  catchUnexpectedErrors,
  driveHandlers,
  endUnstarted,
  findPaths,
  followMovedAppImage,
  isWaylandSession,
  openAppCore,
  programFile,
  serveCommandsInApp,
  startDesktop,
  startSelfUpdates,
  takeOver,
  translationOf,
  watchComputer,
  type Launches,
} from './desktop/index.ts'
import { reportDamagedPresets } from './core/index.ts'
import type { OwnerLock } from './database/index.ts'
import { createEstimates, createTrials } from './estimate/estimate.ts'
import { createPresetFiles } from './presets/presets.ts'
import { createPreviews } from './preview/preview.ts'
import { POWER_SUPPLIES } from './quiet/index.ts'
import { createThumbnails } from './thumbnails/thumbnails.ts'

/** Delays in ms. Tests can shorten them. */
const RENDERER_LINGER_MS = Number(process.env['MEDIATRAY_RENDERER_LINGER_MS'] ?? 60_000)
const END_NOTICE_MS = Number(process.env['MEDIATRAY_END_NOTICE_MS'] ?? 30_000)

start().catch(async (error: unknown) => {
  // Linux doesn't show dialogs before `ready`.
  await app.whenReady()
  endUnstarted(error, { app, dialog, print: console.error })
})

async function start(): Promise<void> {
  const launches = bootstrap()
  if (launches === undefined) return app.exit(0)
  await app.whenReady()
  const lock = await takeOver({ app, dialog, timing, dataDir: app.getPath('userData') })
  if (lock === undefined) app.exit(0)
  else open(launches, lock)
}

function open(launched: Launches, lock: OwnerLock): void {
  const { promise: confinement, resolve: confineBy } = Promise.withResolvers<Confinement>()
  const paths = findPaths(app, import.meta.dirname, process.resourcesPath)
  const worker = { path: paths.worker, node: paths.node, confinement }
  const { log, hide, hidden } = openLog(paths.logs)
  const unexpected = catchUnexpectedErrors(process, log)
  const { core, store, builtIn, keyStore } = openAppCore({
    paths,
    timing,
    log,
    hide,
    startChecker: () => startWorker('trials', worker),
    computer: watchComputer({
      powerMonitor,
      platform: process.platform,
      powerSupplies: POWER_SUPPLIES,
      isWayland: isWaylandSession(process.env),
    }),
  })
  const t = translationOf(() => core.settings.view().language)
  const thumbnails = createThumbnails({
    startWorker: () => startWorker('thumbnails', worker),
    after: timing.after,
  })
  const openTrials = (folder: string) =>
    createTrials({ start: () => startWorker('trials', { ...worker, folders: [folder] }), folder, timing })
  const previews = createPreviews({
    startViewer: () => startWorker('previews', worker),
    trials: openTrials(paths.previews),
    isWorking: () => core.state.get().jobs.some(({ stage }) => stage.kind === 'processing'),
  })
  const presets = createPresetFiles(join(paths.serviceData, 'presets'))
  reportDamagedPresets(core, presets, log)
  const estimates = createEstimates({
    state: core.state,
    presets,
    trials: openTrials(paths.trials),
    pastJobs: (of) => core.history.pastJobs(of),
    cores: availableParallelism(),
    log,
  })
  const drive = driveHandlers(core, paths.serviceData, t, log)
  const diagnostics = () => appDiagnostics(app, core, paths.logs, hidden())
  const updates = startSelfUpdates({
    app,
    isPortable: programFile(process.env, process.execPath).isPortable,
    appImage: process.env['APPIMAGE'],
    squirrel: autoUpdater,
    resources: process.resourcesPath,
    platform: process.platform,
    arch: process.arch,
    fetchBytes,
    ...core,
    dataFolder: paths.data,
    timing,
    onMoved: (to) =>
      followMovedAppImage(to, {
        environment: process.env,
        homeFolder: app.getPath('home'),
        log: (message) => log(message, {}),
      }),
    quitForInstaller,
    loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
    log,
  })

  startDesktop({
    launches: launched,
    unexpected,
    paths,
    core,
    extras: { thumbnails, previews, estimates, presets, drive, diagnostics, updates },
    boundsStore: store,
    stopServing: serveCommandsInApp({
      core,
      builtIn,
      keyStore,
      paths,
      timing,
      lock,
      onLost: () => app.quit(),
      onReplaced: quitForInstaller,
      log,
    }),
    rendererLingerMs: RENDERER_LINGER_MS,
    endNoticeMs: END_NOTICE_MS,
    timing,
    log,
  })
  // Finding a sandbox starts a program, so wait until the tray is shown. Don't log here: the built-in service also looks for a sandbox and
  // logs why it found none.
  confineBy(findConfinement({ platform: process.platform, log: () => undefined }))
}

function quitForInstaller(): void {
  autoUpdater.emit('before-quit-for-update')
  app.quit()
}

/** Downloads through the system proxy, as electron-updater does, and bypasses the HTTP cache. Throws unless the status is 2xx. */
async function fetchBytes(url: string): Promise<Uint8Array> {
  const answer = await net.fetch(url, { cache: 'no-store' })
  if (!answer.ok) throw new Error(`${url} returned HTTP ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}
