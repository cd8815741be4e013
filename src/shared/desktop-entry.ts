/** The name of the app's desktop file on Linux, the same as `desktopName` in package.json. */
export const DESKTOP_ENTRY = 'app.mediatray.Mediatray.desktop'
