/** The app's beginning: opens the rooms, in the order in which they need each other, and hands them to the desktop. */
import { app, utilityProcess } from 'electron'
import { join } from 'node:path'
import {
  appDiagnostics,
  beginApp,
  driveCalls,
  findPlaces,
  openRooms,
  spawnUtilityService,
  startDesktop,
  startSelfUpdates,
  translationOf,
} from './desktop/index.ts'
import { systemTiming } from '../node/timing.ts'
import { openLog } from '../node/log.ts'
import { createPictures, startUtilityPictureWorker } from './thumbnails/thumbnails.ts'
import { createPresetFiles } from './presets/presets.ts'

/** A minute and half of one, unless a test is in a hurry. */
const RENDERER_LINGER_MS = Number(process.env['MEDIATRAY_RENDERER_LINGER_MS'] ?? 60_000)
const END_NOTICE_MS = Number(process.env['MEDIATRAY_END_NOTICE_MS'] ?? 30_000)

const fork: typeof utilityProcess.fork = (path, args, options) => utilityProcess.fork(path, args, options)

const beginning = beginApp()
if (beginning === undefined) app.exit(0)
else void app.whenReady().then(() => open(beginning))

function open(begun: NonNullable<typeof beginning>): void {
  const places = findPlaces(app, import.meta.dirname)
  const { log } = openLog(places.logs)

  const { core, store } = openRooms({
    places,
    timing: systemTiming,
    log,
    spawnService: spawnUtilityService({
      fork,
      servicePath: places.service,
      workerPath: places.serviceWorker,
    }),
  })

  startDesktop({
    beginning: begun,
    places,
    core,
    placeStore: store,
    pictures: createPictures({
      startWorker: () => startUtilityPictureWorker(fork, places.pictureWorker),
      setTimer: (run, ms) => setTimeout(run, ms),
    }),
    rooms: {
      presets: createPresetFiles({ folder: join(places.serviceData, 'presets') }),
      drive: driveCalls(
        core,
        places.serviceData,
        translationOf(() => core.settings.view().language),
        log,
      ),
      diagnostics: appDiagnostics(app, core, places.logs),
      updates: startSelfUpdates({
        app,
        feedFile: join(process.resourcesPath, 'app-update.yml'),
        core,
        dataFolder: places.data,
        timing: systemTiming,
        loadUpdater: async () => (await import('electron-updater')).default.autoUpdater,
        log,
      }),
    },
    rendererLingerMs: RENDERER_LINGER_MS,
    endNoticeMs: END_NOTICE_MS,
    log: (message) => log(message),
    logEvent: log,
  })
}
