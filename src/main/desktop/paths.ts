/** Paths of the app's parts and its data. */
import type { App } from 'electron'
import { join, resolve } from 'node:path'

export type AppPaths = ReturnType<typeof findPaths>

/**
 * @param bundleFolder folder of the main bundle, `dist/main`
 * @param resources the package's resources folder; ignored when running from source
 */
export function findPaths(app: Pick<App, 'getPath' | 'isPackaged'>, bundleFolder: string, resources: string) {
  const dist = resolve(bundleFolder, '..')
  const icons = resolve(dist, '../assets/icons')
  const data = app.getPath('userData')
  const pictures = picturesFolder(app)
  const carried = app.isPackaged ? carriedIn(resources) : { node: PROJECT_NODE, dist }
  return {
    preload: join(dist, 'preload/preload.cjs'),
    renderer: join(dist, 'renderer'),
    /** The Node binary that runs the service and all media work. */
    node: carried.node,
    service: join(carried.dist, 'service/main.js'),
    worker: join(carried.dist, 'service/worker.js'),
    /** The command-line launcher; exists only in packages. */
    command: join(resources, 'bin/mediatray-cli'),
    notices: join(carried.dist, '..', 'THIRD-PARTY-NOTICES.txt'),
    trayIcons: join(icons, 'tray'),
    appIcon: join(icons, 'app/256x256.png'),
    /** The app's own data folder: settings, outbox, history. */
    data,
    serviceData: join(data, 'service'),
    pasted: join(data, 'pasted'),
    /** Copied images while they are processed, and for a day after. */
    clipboard: join(data, 'clipboard'),
    previews: join(data, 'previews'),
    trials: join(data, 'trials'),
    logs: join(data, 'logs'),
    /** The user's photos. May be missing. */
    pictures,
    /** The output folder until the user chooses another. */
    output: join(pictures, 'Mediatray'),
  }
}

/** On Windows, Electron throws if the folder is missing: after it was deleted, or while its drive isn't connected. */
function picturesFolder(app: Pick<App, 'getPath'>): string {
  try {
    return app.getPath('pictures')
  } catch {
    return join(app.getPath('home'), 'Pictures')
  }
}

/** The project's scripts put their Node first on the `PATH` (scripts/with-node.cjs). */
const PROJECT_NODE = 'node'

/**
 * Returns the paths of the package's own Node and the files that it runs. Node can't read asar archives, so these are unpacked:
 * docs/decisions/carried-node.md.
 */
const carriedIn = (resources: string) => ({
  node: join(resources, process.platform === 'win32' ? 'node.exe' : 'node'),
  dist: join(resources, 'app.asar.unpacked', 'dist'),
})
