/** Checks what the user allows assistants to do. Reads the settings file at each call, because the app may change it at any time. */
import { stat } from 'node:fs/promises'
import type { AllowedFolder, RefusalReason } from '../../../shared/model/assistants.ts'
import type { Settings as SettingsValue } from '../../../shared/model/settings.ts'
import { shownText } from '../../../shared/paths.ts'
import {
  isNamedIn,
  type OpenedFile,
  openFileIn,
  realNewPath,
  realNewPathIn,
  realPathIn,
} from '../../../node/allowed-path.ts'
import { isForeignLink, trustedNewPath } from '../../../node/trusted-path.ts'
import { messageOf } from '../../../node/errors.ts'
import type { Line } from '../../core/index.ts'
import type { Environment } from '../environment.ts'

/** Thrown if a call isn't allowed or isn't possible. The message is for the assistant. */
export class Refused extends Error {
  override readonly name = 'Refused'
}

export type Access = ReturnType<typeof createAccess>

/** Maximum length of a path, in characters. Linux and macOS don't allow longer paths. */
const MAX_PATH = 4_096

export function createAccess(environment: Environment, { history }: Pick<Line, 'history'>) {
  /** Records a refusal for the user. @returns the error for the assistant */
  function refuse(path: string, reason: RefusalReason, message: string): Refused {
    const at = environment.timing.clock()
    try {
      history.refusals.add({ path: shownText(path.slice(0, MAX_PATH)), reason, at })
    } catch (error) {
      // The refusal applies even if it can't be recorded, for example because another program has locked the history.
      environment.stderr.write(`${messageOf(error)}\n`)
    }
    return new Refused(message)
  }

  /** @throws Refused if assistants are turned off */
  function settings(): SettingsValue {
    const read = environment.owner.readSettings().saved.view()
    if (read.assistants.enabled) return read
    throw refuse(
      '',
      'off',
      'Assistants are turned off. Ask the user to turn them on in Mediatray: Settings > Advanced > Assistants.',
    )
  }

  const folders = (): readonly AllowedFolder[] => settings().assistants.folders

  function refusePath(path: string, why: Exclude<OpenedFile, { ok: true }>['why']): Refused {
    const shown = `“${shownText(path.slice(0, MAX_PATH))}”`
    switch (why) {
      case 'outside':
        return refuse(path, why, `${shown} isn’t in a folder that the user allows. ${ALLOW}`)
      case 'leadsOutside':
        return refuse(path, why, `${shown} is a link out of the folders that the user allows. ${ALLOW}`)
      case 'missing':
        return new Refused(`${shown} doesn’t exist or can’t be read.`)
      case 'notAFile':
        return new Refused(`${shown} isn’t a file.`)
    }
  }

  return {
    settings,
    refuse,
    /** Whether all these files and results are in folders that the assistant may know about. Compares the paths as they are written. */
    mayName(inputs: readonly string[], outputs: readonly string[]): boolean {
      const read = settings()
      const usual = usualOutput(read)
      const allowed = read.assistants.folders
      const own = usual === undefined ? [] : [{ path: usual, realPath: usual }]
      return (
        inputs.every((path) => isNamedIn(path, allowed)) &&
        outputs.every((path) => isNamedIn(path, [...allowed, ...own]))
      )
    },
    /** Resolves a file or folder. @throws Refused */
    async input(path: string): Promise<string> {
      const real = await realPathIn(absolute(path), folders())
      if (!real.ok) throw refusePath(path, real.why)
      return real.path
    },
    /** Opens a file. @throws Refused */
    async open(path: string) {
      const opened = await openFileIn(absolute(path), folders())
      if (!opened.ok) throw refusePath(path, opened.why)
      return opened
    },
    /** Resolves the folder for results, which may not exist yet; without a path, the user's default. @throws Refused */
    async output(path: string | undefined): Promise<string> {
      const usual = usualOutput(settings())
      if (path === undefined) {
        if (usual !== undefined) return realUsual(usual)
        throw new Refused('There is no default output folder. Choose one in a folder that the user allows.')
      }
      // The user's own links may lead to this folder, because the user chose it.
      const realPath = usual === undefined ? undefined : await realUsual(usual).catch(() => undefined)
      const own = usual === undefined || realPath === undefined ? [] : [{ path: usual, realPath }]
      const real = await realNewPathIn(absolute(path), [...folders(), ...own])
      if (real.ok) {
        const found = await stat(real.path).catch(() => undefined)
        if (found?.isDirectory() !== false) return real.path
        throw new Refused(`Results can’t be saved to “${shownText(path)}”. It isn’t a folder.`)
      }
      if (real.why === 'missing') throw refusePath(path, real.why)
      const shown = `“${shownText(path.slice(0, MAX_PATH))}”`
      throw refuse(
        path,
        'outputOutside',
        `Results can’t be saved to ${shown}. Omit the output to use the user’s default folder, or name a folder that the user allows.`,
      )
    },
  }
}

async function realUsual(usual: string): Promise<string> {
  try {
    return await realNewPath(await trustedNewPath(usual))
  } catch (error) {
    if (!isForeignLink(error)) throw error
    throw new Refused(
      `Results can’t be saved to “${shownText(usual)}”: a link on its path belongs to another user.`,
    )
  }
}

const ALLOW = 'Ask the user to allow the folder in Mediatray: Settings > Advanced > Assistants.'

/**
 * Returns the user's default folder for results or, if the default isn't a folder, the one for assistants; undefined if there is none. A
 * Drive folder isn't used, and originals are never replaced.
 */
export const usualOutput = ({ defaultOutput, assistants }: SettingsValue): string | undefined =>
  (defaultOutput?.kind === 'folder' ? defaultOutput.path : assistants.usualOutput) ?? undefined

/**
 * Checks a path but doesn't make a relative one absolute: the result would depend on where the assistant started the server. Only absolute
 * paths can be in an allowed folder.
 * @throws Refused if the text can't be a path
 */
function absolute(path: string): string {
  if (path.length > MAX_PATH || path.includes('\0')) throw new Refused('The path is too long or isn’t valid.')
  return path
}
