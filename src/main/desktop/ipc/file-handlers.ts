import type { BrowserWindow, NativeImage, Shell } from 'electron'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { Translation } from '../../../shared/i18n/i18n.ts'
import type { FileAccess } from '../../core/index.ts'
import { UserFacingError } from '../user-facing-error.ts'

export type FileHandlerDeps = {
  readonly shell: Pick<Shell, 'showItemInFolder' | 'openPath'>
  readonly window: { current(): BrowserWindow | undefined }
  readonly access: FileAccess
  /** A picture under the pointer while a result is dragged out. */
  readonly dragIcon: () => NativeImage
  readonly t: () => Translation
}

/** Enough to hide a slow disk, few enough for the limit of open files. */
const OPENED_TOGETHER = 16

export function fileHandlers({ shell, window, access, dragIcon, t }: FileHandlerDeps): Handlers['files'] {
  async function requireAllowed(asked: ReturnType<FileAccess['toFile']>): Promise<void> {
    const { error } = t()
    switch ((await asked).kind) {
      case 'allowed':
        return
      case 'foreign':
        throw new UserFacingError('fileForeign', error.fileForeign)
      case 'gone':
        throw new UserFacingError('fileGone', error.fileGone)
      case 'notMedia':
        throw new UserFacingError('notMedia', error.notMedia)
    }
  }

  /** Bytes of each that is allowed, in the order given. */
  async function sizesOf(paths: readonly string[]): Promise<(number | null)[]> {
    const sizes: (number | null)[] = []
    for (let start = 0; start < paths.length; start += OPENED_TOGETHER)
      sizes.push(...(await Promise.all(paths.slice(start, start + OPENED_TOGETHER).map(sizeOf))))
    return sizes
  }

  const sizeOf = async (path: string): Promise<number | null> => {
    const found = await access.toFile(path)
    return found.kind === 'allowed' ? found.size : null
  }

  return {
    async reveal(path) {
      await requireAllowed(access.toPlace(path))
      shell.showItemInFolder(path)
    },
    async open(path) {
      await requireAllowed(access.toFile(path))
      const trouble = await shell.openPath(path)
      if (trouble !== '') throw new UserFacingError('cantOpen', t().error.fileGone, trouble)
    },
    async startDrag(paths) {
      // Together: the mouse button may not be up before the drag begins.
      await Promise.all(paths.map((path) => requireAllowed(access.toFile(path))))
      const [file] = paths
      if (file === undefined) return
      window.current()?.webContents.startDrag({ file, files: [...paths], icon: dragIcon() })
    },
    exist: async (paths) => (await sizesOf(paths)).map((size) => size !== null),
    sizes: sizesOf,
  }
}

const PIXELS = 64

/**
 * What hangs under the pointer while a result is dragged out: the app's icon, which is there at once. A thumbnail would come
 * when the mouse may be up again, and as WebP, of which Electron makes an empty image; with one of those it drags nothing.
 *
 * @param file a PNG
 */
export function createDragIcon(load: (path: string) => NativeImage, file: string): () => NativeImage {
  let icon: NativeImage | undefined
  return () => (icon ??= load(file).resize({ width: PIXELS, height: PIXELS }))
}
