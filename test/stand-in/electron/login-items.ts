/** `app.setLoginItemSettings` and `getLoginItemSettings`, as of Electron 44. Each system supports different fields. */
import type * as Electron from 'electron'
import type { Record } from './record.ts'

export function createLoginItems(record: Record, platform: () => string) {
  const isMac = () => platform() === 'darwin'
  return {
    set: (settings: Electron.Settings): void => {
      if (!isMac() && settings.type !== undefined) throw new Error('Only macOS has types of login items')
      record.change({ loginItem: { ...settings } })
    },
    /** On Windows, only an item with the same path and arguments counts as set. Fields of other systems are missing. */
    get: (asked: Electron.LoginItemSettingsOptions = {}): Electron.LoginItemSettings => {
      const item: Electron.Settings = record.now.loginItem ?? {}
      const isOn = item.openAtLogin === true
      if (isMac())
        return {
          openAtLogin: isOn,
          wasOpenedAtLogin: process.argv.includes('--opened-at-login'),
          status: isOn ? 'enabled' : 'not-registered',
        } as Electron.LoginItemSettings
      const isSame =
        (asked.path ?? process.execPath) === (item.path ?? process.execPath) &&
        (asked.args ?? []).join('\n') === (item.args ?? []).join('\n')
      return {
        openAtLogin: isOn && isSame,
        executableWillLaunchAtLogin: isOn,
        launchItems: [],
      } as unknown as Electron.LoginItemSettings
    },
  }
}
