// The least an app with a tray can be: what is over and above this is the app's own.
import { app, nativeImage, Tray } from 'electron'

let tray
void app.whenReady().then(() => {
  tray = new Tray(nativeImage.createFromPath(process.argv[2]))
  return tray.setToolTip('bare')
})
