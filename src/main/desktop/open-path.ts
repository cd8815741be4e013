import type { Shell } from 'electron'

/** @returns the system's error message; '' on success, and always '' on Linux, where the outcome is unknown */
export type OpenPath = (path: string) => Promise<string>

/**
 * Opens files and folders with their default programs. On Linux, Electron's promise never settles, because Electron drops the
 * callback unless it waits for `xdg-open` to exit. Starting `xdg-open` here would report failures, but would lose the activation
 * token that raises the program's window on Wayland.
 */
export const createOpenPath =
  (shell: Pick<Shell, 'openPath'>, platform: NodeJS.Platform): OpenPath =>
  async (path) => {
    const opened = shell.openPath(path)
    return platform === 'linux' ? '' : opened
  }
