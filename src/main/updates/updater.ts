/** What is needed of `autoUpdater` of electron-updater, in its own words. */
export type Updater = {
  autoDownload: boolean
  autoInstallOnAppQuit: boolean
  /** null where updates are not possible, such as in a build that was not packaged. */
  checkForUpdates(): Promise<{
    readonly isUpdateAvailable: boolean
    readonly updateInfo: { readonly version: string }
  } | null>
  downloadUpdate(): Promise<unknown>
  quitAndInstall(): void
  on(event: 'download-progress', listener: (progress: { readonly percent: number }) => void): unknown
  on(event: 'update-downloaded', listener: (update: { readonly version: string }) => void): unknown
  on(event: 'error', listener: (error: Error) => void): unknown
}
