/** "Install command" on macOS: a link on the path of a person's shells. Elsewhere the package's installer does it. */
import { lstat, readlink, symlink, unlink } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import type { Translation } from '../../shared/i18n/i18n.ts'
import type { Dialogs } from './dialogs.ts'

const ON_THE_PATH = '/usr/local/bin'
const COPY = 1

export type InstallCommandDeps = {
  /** The program in the package, absolute. */
  readonly launcher: string
  readonly dialogs: Pick<Dialogs, 'ask'>
  readonly copy: (text: string) => void
  readonly t: () => Translation
  /** Where the link goes. */
  readonly folder?: string
}

export function createInstallCommand(deps: InstallCommandDeps): () => Promise<void> {
  const { launcher, dialogs, copy, t, folder = ON_THE_PATH } = deps
  const link = join(folder, basename(launcher))

  return async () => {
    const { command } = t()
    const name = basename(launcher)
    if (isPassing(launcher)) {
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
        const typed = `sudo mkdir -p ${folder} && sudo ln -sf ${quoted(launcher)} ${quoted(link)}`
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

/** From a disk image, or where macOS shows an app that was never moved out of the downloads, the path is soon gone. */
const isPassing = (launcher: string): boolean => /^\/Volumes\/|\/AppTranslocation\//.test(launcher)

async function place(launcher: string, link: string): Promise<'placed' | 'taken' | 'notAllowed'> {
  try {
    if (!(await makeWay(link))) return 'taken'
    await symlink(launcher, link)
    return 'placed'
  } catch (error) {
    if (hasCode(error, 'EACCES', 'EPERM', 'ENOENT', 'ENOTDIR', 'EROFS')) return 'notAllowed'
    throw error
  }
}

/** Only a link that an app like this one made is replaced. @returns whether the name is free */
async function makeWay(link: string): Promise<boolean> {
  const found = await lstat(link).catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return undefined
    throw error
  })
  if (found === undefined) return true
  if (!found.isSymbolicLink() || !(await readlink(link)).endsWith(`/bin/${basename(link)}`)) return false
  await unlink(link)
  return true
}

/** As a shell reads it. */
const quoted = (path: string): string => `'${path.replaceAll("'", String.raw`'\''`)}'`
