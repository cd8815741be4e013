import type { NativeImage } from 'electron'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { FileAccess } from '../../core/index.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

/** Number of files accessed in parallel: enough to hide a slow disk's latency, and well below the limit on open files. */
const OPENED_TOGETHER = 16

const REFUSED = { foreign: 'fileForeign', gone: 'fileGone', notMedia: 'notMedia' } as const

export function fileHandlers(page: Page): Handlers['files'] {
  const { shell, window, fileAccess: access, dragIcon, t } = page

  async function requireAllowed(asked: ReturnType<FileAccess['toFile']>): Promise<void> {
    const { kind } = await asked
    if (kind === 'allowed') return
    const code = REFUSED[kind]
    throw new UserFacingError(code, t().error[code])
  }

  /** Returns sizes in bytes in the given order; null for inaccessible files. */
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
      const trouble = await page.openPath(path)
      if (trouble !== '') throw new UserFacingError('cantOpen', t().error.fileGone, trouble)
    },
    async startDrag(paths) {
      // Checks files in parallel, because the drag must start before the mouse button is released.
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
 * Creates a function that returns the drag image: the app's icon, because it is available immediately. A thumbnail might arrive only after
 * the mouse button is released. Electron also decodes WebP, the format of thumbnails, to an empty image, and can't drag with one.
 * @param file a PNG
 */
export function createDragIcon(load: (path: string) => NativeImage, file: string): () => NativeImage {
  let icon: NativeImage | undefined
  return () => (icon ??= load(file).resize({ width: PIXELS, height: PIXELS }))
}
