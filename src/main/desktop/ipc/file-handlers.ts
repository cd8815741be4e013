import { access, stat } from 'node:fs/promises'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { SayableError } from './user-facing-error.ts'
import type { HandlerDeps } from './handler-deps.ts'

export function fileHandlers(deps: HandlerDeps): Handlers['files'] {
  const { core, t } = deps

  function requireKnown(path: string): void {
    if (!core.knownPaths.has(path)) throw new SayableError('fileForeign', t().error.fileForeign)
  }
  async function requireThere(path: string): Promise<void> {
    requireKnown(path)
    if (!(await isThere(path))) throw new SayableError('fileGone', t().error.fileGone)
  }

  return {
    async reveal(path) {
      await requireThere(path)
      deps.shell.showItemInFolder(path)
    },
    async open(path) {
      await requireThere(path)
      const trouble = await deps.shell.openPath(path)
      if (trouble !== '') throw new SayableError('cantOpen', t().error.fileGone, trouble)
    },
    async startDrag(paths) {
      for (const path of paths) await requireThere(path)
      const [file] = paths
      if (file === undefined) return
      const icon = await deps.dragIcon(file)
      deps.window()?.webContents.startDrag({ file, files: [...paths], icon })
    },
    exist: (paths) =>
      Promise.all(paths.map(async (path) => core.knownPaths.has(path) && (await isThere(path)))),
    sizes: (paths) =>
      Promise.all(
        paths.map(async (path) => {
          if (!core.knownPaths.has(path)) return null
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
