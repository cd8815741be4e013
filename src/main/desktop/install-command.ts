/**
 * "Install command" on macOS: creates a symlink on the user's `PATH`. On other platforms, the package's installer adds the command.
 */
import { lstat, readlink, symlink, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { shellQuoted } from './quoting.ts'
import { hasCode } from '../../node/errors.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Dialogs } from './dialogs.ts'

const ON_THE_PATH = '/usr/local/bin'
const COPY = 1

export function createInstallCommand(deps: {
  /** Absolute path of the launcher in the package. */
  readonly launcher: string
  /** Whether the path of the launcher changes between runs. */
  readonly isTemporary: boolean
  readonly dialogs: Pick<Dialogs, 'ask'>
  readonly copy: (text: string) => void
  readonly t: () => Translation
  /** Folder of the symlink; by default `/usr/local/bin`. */
  readonly folder?: string
}): () => Promise<void> {
  const { launcher, dialogs, copy, t, folder = ON_THE_PATH } = deps
  const link = join(folder, basename(launcher))

  return async () => {
    const { command } = t()
    const name = basename(launcher)
    if (deps.isTemporary) {
      await dialogs.ask({ type: 'info', message: command.moveFirst, detail: command.moveFirstDetail })
      return
    }
    switch (await place(launcher, link)) {
      case 'placed':
        await dialogs.ask({ type: 'info', message: command.installed({ name }), detail: link })
        return
      case 'taken':
        await dialogs.ask({ type: 'warning', message: command.taken({ name }), detail: link })
        return
      case 'notAllowed': {
        const typed = `sudo mkdir -p ${folder} && sudo ln -sf ${shellQuoted(launcher)} ${shellQuoted(link)}`
        const button = await dialogs.ask({
          type: 'info',
          message: command.byHand,
          detail: typed,
          buttons: [command.close, command.copy],
          defaultId: COPY,
          cancelId: 0,
        })
        if (button === COPY) copy(typed)
      }
    }
  }
}

async function place(launcher: string, link: string): Promise<'placed' | 'taken' | 'notAllowed'> {
  try {
    if (!(await removeOwnLink(link))) return 'taken'
    await symlink(launcher, link)
    return 'placed'
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EROFS')) return 'notAllowed'
    throw error
  }
}

/**
 * Removes an existing link, but only if it points to a Mediatray launcher.
 * @returns whether the path is free
 */
async function removeOwnLink(link: string): Promise<boolean> {
  const found = await lstat(link).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (found === undefined) return true
  if (!found.isSymbolicLink() || !(await readlink(link)).endsWith(`/bin/${basename(link)}`)) return false
  await unlink(link)
  return true
}
