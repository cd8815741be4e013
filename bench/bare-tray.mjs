// A minimal app with a tray. Its startup time is the floor of the real app's.
import { app, nativeImage, Tray } from 'electron'

let tray
void app.whenReady().then(() => {
  tray = new Tray(nativeImage.createFromPath(process.argv[2]))
  return tray.setToolTip('bare')
})
