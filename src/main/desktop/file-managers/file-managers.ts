/** Chooses how this computer's file managers show the starred presets. */
import { execFile } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join, win32 } from 'node:path'
import { promisify } from 'node:util'
import type { Shell } from 'electron'
import { messageOf } from '../../../node/errors.ts'
import type { AppFacts } from '../../../shared/model/app-facts.ts'
import type { StarredPreset } from '../../../shared/preset/starred.ts'
import { explorerEntries } from './explorer.ts'
import { finderEntries, finderPlaces } from './finder.ts'
import { LINUX_PROGRAMS, linuxEntries, linuxPlaces, type LinuxFileManager } from './linux.ts'
import { writeThunarActions } from './thunar-file.ts'
import { writeEntries, type EntryTrouble } from './write-entries.ts'
import { writeExplorerEntries } from './write-explorer.ts'

export type FileManagersOptions = {
  readonly platform: NodeJS.Platform
  readonly environment: Readonly<Record<string, string | undefined>>
  readonly homeFolder: string
  /** Absolute path of the program that the entries start. */
  readonly program: string
  /** Whether this copy of the app is installed. Other copies add nothing to the system. */
  readonly isInstalled: boolean
  /** Absolute path of `%APPDATA%`. Used only on Windows. */
  readonly appData: string
  readonly dataFolder: string
  readonly shell: Pick<Shell, 'readShortcutLink' | 'writeShortcutLink'>
}

export type FileManagers = {
  readonly menu: AppFacts['fileManagerMenu']
  /**
   * Makes the file managers' entries match the presets.
   * @returns what couldn't be written or removed; the next call tries again
   */
  readonly write: (presets: readonly StarredPreset[]) => Promise<readonly EntryTrouble[]>
}

export function createFileManagers(options: FileManagersOptions): FileManagers {
  if (!options.isInstalled) return { menu: 'notInstalled', write: () => Promise.resolve([]) }
  switch (options.platform) {
    case 'darwin':
      return { menu: 'supported', write: finderWriter(options) }
    case 'win32':
      return { menu: 'supported', write: explorerWriter(options) }
    default: {
      const managers = installedManagers(options.environment['PATH'])
      const menu = managers.length > 0 ? 'supported' : 'unsupported'
      return { menu, write: linuxWriter(managers, options) }
    }
  }
}

function installedManagers(path = ''): readonly LinuxFileManager[] {
  const folders = path.split(delimiter).filter((folder) => folder !== '')
  const all = Object.entries(LINUX_PROGRAMS) as [LinuxFileManager, readonly string[]][]
  return all
    .filter(([, programs]) =>
      folders.some((folder) => programs.some((name) => isProgram(join(folder, name)))),
    )
    .map(([manager]) => manager)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

/** Writes the entries of Linux file managers. Also removes earlier entries for file managers that are no longer installed. */
function linuxWriter(
  managers: readonly LinuxFileManager[],
  { environment, homeFolder, program }: FileManagersOptions,
): FileManagers['write'] {
  const folder = (name: string, standard: string) => environment[name] || standard
  const dataFolder = folder('XDG_DATA_HOME', join(homeFolder, '.local/share'))
  const configFolder = folder('XDG_CONFIG_HOME', join(homeFolder, '.config'))
  const systemFolders = folder('XDG_CONFIG_DIRS', '/etc/xdg').split(':')
  return async (presets) => {
    const troubles = await writeEntries(
      linuxEntries(presets, { program, dataFolder, managers }),
      linuxPlaces(dataFolder),
    )
    try {
      const forThunar = managers.includes('thunar') ? presets : []
      await writeThunarActions(forThunar, program, { configFolder, systemFolders })
      return troubles
    } catch (error) {
      return [...troubles, { path: join(configFolder, 'Thunar/uca.xml'), message: messageOf(error) }]
    }
  }
}

/** Makes macOS read the services again. Otherwise, it reads them only at the next login. */
const UPDATE_SERVICES = ['/System/Library/CoreServices/pbs', ['-update']] as const

const run = promisify(execFile)

function finderWriter({ homeFolder, program }: FileManagersOptions): FileManagers['write'] {
  const services = join(homeFolder, 'Library/Services')
  return async (presets) => {
    const troubles = await writeEntries(finderEntries(presets, { services, program }), finderPlaces(services))
    await run(...UPDATE_SERVICES).catch(() => undefined)
    return troubles
  }
}

function explorerWriter(options: FileManagersOptions): FileManagers['write'] {
  const { environment, program, appData, dataFolder, shell } = options
  const regProgram = win32.join(environment['SystemRoot'] ?? 'C:\\Windows', 'System32', 'reg.exe')
  return (presets) =>
    writeExplorerEntries(explorerEntries(presets, program), {
      program,
      sendTo: win32.join(appData, 'Microsoft\\Windows\\SendTo'),
      registryFile: win32.join(dataFolder, 'file-manager-entries.reg'),
      reg: async (args) => (await run(regProgram, [...args], { windowsHide: true })).stdout,
      shell,
    })
}
