/** Where the parts of the installed app are, and where it keeps what is its own. */
import type { App } from 'electron'
import { join, resolve } from 'node:path'

export type AppPaths = {
  readonly preload: string
  readonly renderer: string
  /** The Node that the service and all media work run on. */
  readonly node: string
  readonly service: string
  readonly pictureWorker: string
  readonly previewWorker: string
  readonly jobWorker: string
  /** The launcher of the command line, which only packages have. */
  readonly command: string
  /** What the packages carry, under which licences. */
  readonly notices: string
  readonly trayIcons: string
  readonly appIcon: string
  /** The app's own folder: settings, outbox, history. */
  readonly data: string
  readonly serviceData: string
  readonly pasted: string
  readonly previews: string
  readonly trials: string
  readonly logs: string
  /** Where results go while nobody has chosen another place. */
  readonly output: string
}

/**
 * @param bundleFolder the folder of the main bundle, `dist/main`
 * @param resources the package's folder of resources; of no meaning while nothing is packed
 */
export function findPaths(app: App, bundleFolder: string, resources: string): AppPaths {
  const dist = resolve(bundleFolder, '..')
  const icons = resolve(dist, '../assets/icons')
  const data = app.getPath('userData')
  const carried = app.isPackaged ? carriedIn(resources) : { node: PROJECT_NODE, dist }
  return {
    preload: join(dist, 'preload/preload.cjs'),
    renderer: join(dist, 'renderer'),
    node: carried.node,
    service: join(carried.dist, 'service/main.js'),
    pictureWorker: join(carried.dist, 'service/picture-worker.js'),
    previewWorker: join(carried.dist, 'service/preview-worker.js'),
    jobWorker: join(carried.dist, 'service/worker.js'),
    command: join(resources, 'bin/mediatray-cli'),
    notices: join(carried.dist, '..', 'THIRD-PARTY-NOTICES.txt'),
    trayIcons: join(icons, 'tray'),
    appIcon: join(icons, 'app/256x256.png'),
    data,
    serviceData: join(data, 'service'),
    pasted: join(data, 'pasted'),
    previews: join(data, 'previews'),
    trials: join(data, 'trials'),
    logs: join(data, 'logs'),
    output: join(app.getPath('pictures'), 'Mediatray'),
  }
}

/** The project's scripts put theirs first on the path (scripts/with-node.cjs). */
const PROJECT_NODE = 'node'

/** Plain Node reads no archive, so what it runs lies beside it: docs/decisions/carried-node.md. */
const carriedIn = (resources: string) => ({
  node: join(resources, process.platform === 'win32' ? 'node.exe' : 'node'),
  dist: join(resources, 'app.asar.unpacked', 'dist'),
})
