/** Where the parts of the installed app are, and where it keeps what is its own. */
import type { App } from 'electron'
import { join, resolve } from 'node:path'

export type AppPaths = {
  readonly preload: string
  readonly renderer: string
  readonly service: string
  readonly serviceWorker: string
  readonly pictureWorker: string
  readonly trayIcons: string
  readonly appIcon: string
  /** The app's own folder: settings, outbox, history. */
  readonly data: string
  readonly serviceData: string
  readonly pasted: string
  readonly logs: string
  /** Where results go while nobody has chosen another place. */
  readonly output: string
}

/** @param bundleFolder the folder of the main bundle, `dist/main` */
export function findPaths(app: App, bundleFolder: string): AppPaths {
  const dist = resolve(bundleFolder, '..')
  const icons = resolve(dist, '../assets/icons')
  const data = app.getPath('userData')
  return {
    preload: join(dist, 'preload/preload.cjs'),
    renderer: join(dist, 'renderer'),
    service: join(dist, 'service/main.js'),
    serviceWorker: join(dist, 'service/worker.js'),
    pictureWorker: join(dist, 'service/picture-worker.js'),
    trayIcons: join(icons, 'tray'),
    appIcon: join(icons, 'app/256x256.png'),
    data,
    serviceData: join(data, 'service'),
    pasted: join(data, 'pasted'),
    logs: join(data, 'logs'),
    output: join(app.getPath('pictures'), 'Mediatray'),
  }
}
