import type { BrowserWindow, NativeImage, Shell } from 'electron'
import { access, stat } from 'node:fs/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type FileHandlerDeps = {
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath'>
  readonly window: { current(): BrowserWindow | undefined }
  /** The files that the page may name. */
  readonly knownPaths: { has(path: string): boolean }
  /** A picture under the pointer while a result is dragged out. */
  readonly dragIcon: (path: string) => Promise<NativeImage>
  readonly t: () => Translation
}

export function fileHandlers(deps: FileHandlerDeps): Handlers['files'] {
  const { shell, knownPaths, t } = deps

  async function requireThere(path: string): Promise<void> {
    if (!knownPaths.has(path)) throw new UserFacingError('fileForeign', t().error.fileForeign)
    if (!(await isThere(path))) throw new UserFacingError('fileGone', t().error.fileGone)
  }

  return {
    async reveal(path) {
      await requireThere(path)
      shell.showItemInFolder(path)
    },
    async open(path) {
      await requireThere(path)
      const trouble = await shell.openPath(path)
      if (trouble !== '') throw new UserFacingError('cantOpen', t().error.fileGone, trouble)
    },
    async startDrag(paths) {
      for (const path of paths) await requireThere(path)
      const [file] = paths
      if (file === undefined) return
      const icon = await deps.dragIcon(file)
      deps.window.current()?.webContents.startDrag({ file, files: [...paths], icon })
    },
    exist: (paths) => Promise.all(paths.map(async (path) => knownPaths.has(path) && (await isThere(path)))),
    sizes: (paths) =>
      Promise.all(
        paths.map(async (path) => {
          if (!knownPaths.has(path)) return null
          return (await stat(path).catch(() => null))?.size ?? null
        }),
      ),
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  )
