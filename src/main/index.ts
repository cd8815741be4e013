/** What the app is, part by part, in the order in which the parts need each other. */
import { startPictureWorker, startTrialWorker } from '../media/start-worker.ts'
import { app, dialog, net } from 'electron'
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
  openAppCore,
  programFile,
  startDesktop,
  startSelfUpdates,
  translationOf,
  type Launches,
} from './desktop/index.ts'
import { sayDamagedPresets } from './core/index.ts'
import { createForecasts, createTrials } from './forecast/forecast.ts'
import { createPresetFiles } from './presets/presets.ts'
import { createPreviews, previewProcesses } from './preview/preview.ts'
import { createThumbnails } from './thumbnails/thumbnails.ts'

/** A minute and half of one, unless a test is in a hurry. */
const RENDERER_LINGER_MS = Number(process.env['MEDIATRAY_RENDERER_LINGER_MS'] ?? 60_000)
const END_NOTICE_MS = Number(process.env['MEDIATRAY_END_NOTICE_MS'] ?? 30_000)

const launches = bootstrap()
if (launches === undefined) app.exit(0)
else {
  app
    .whenReady()
    .then(() => open(launches))
    .catch((error: unknown) => endUnstarted(error, { app, dialog, print: console.error }))
}

function open(launched: Launches): void {
  const { promise: confinement, resolve: confineBy } = Promise.withResolvers<Confinement>()
  const paths = findPaths(app, import.meta.dirname, process.resourcesPath)
  const { log, hide, hidden } = openLog(paths.logs)
  const unexpected = catchUnexpectedErrors(process, log)
  const { core, store } = openAppCore({ paths, timing, log, hide })
  const t = translationOf(() => core.settings.view().language)
  const thumbnails = createThumbnails({
    startWorker: () => startPictureWorker({ path: paths.pictureWorker, node: paths.node, confinement }),
    setTimer: (run, ms) => setTimeout(run, ms),
  })
  const previews = createPreviews({
    ...previewProcesses({
      viewerPath: paths.previewWorker,
      makerPath: paths.jobWorker,
      node: paths.node,
      folder: paths.previews,
      confinement,
    }),
    monotonic: timing.monotonic,
    isWorking: () => core.state.get().jobs.some(({ stage }) => stage.kind === 'processing'),
  })
  const presets = createPresetFiles({ folder: join(paths.serviceData, 'presets') })
  sayDamagedPresets(core, presets, log)
  const trialWorker = { path: paths.jobWorker, node: paths.node, folders: [paths.trials], confinement }
  const forecasts = createForecasts({
    state: core.state,
    presets,
    trials: createTrials({
      start: () => startTrialWorker(trialWorker),
      folder: paths.trials,
      after: timing.after,
    }),
    pastJobs: (of) => core.history.pastJobs(of),
    cores: availableParallelism(),
    log,
  })
  const drive = driveHandlers(core, paths.serviceData, t, log)
  const diagnostics = appDiagnostics(app, core, paths.logs, hidden)
  const updates = startSelfUpdates({
    app,
    isPortable: programFile(process.env, process.execPath).isPortable,
    resources: process.resourcesPath,
    platform: process.platform,
    arch: process.arch,
    fetchBytes,
    state: core.state,
    settings: core.settings,
    dataFolder: paths.data,
    timing,
    loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
    log,
  })

  startDesktop({
    launches: launched,
    unexpected,
    paths,
    core,
    extras: { thumbnails, previews, forecasts, presets, drive, diagnostics, updates },
    boundsStore: store,
    rendererLingerMs: RENDERER_LINGER_MS,
    endNoticeMs: END_NOTICE_MS,
    timing,
    log,
  })
  // The tray is there first: a program is tried for it. The built-in service looks for itself, and says in the log why it found none.
  confineBy(findConfinement({ platform: process.platform, log: () => undefined }))
}

/** By way of the system's proxy, like the updater itself, and never from a cache. */
async function fetchBytes(url: string): Promise<Uint8Array> {
  const answer = await net.fetch(url, { cache: 'no-store' })
  if (!answer.ok) throw new Error(`${url} was answered with ${answer.status}`)
  return new Uint8Array(await answer.arrayBuffer())
}
