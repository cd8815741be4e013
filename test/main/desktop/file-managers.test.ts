import { chmodSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, describe, expect, it } from 'vitest'
import {
  createFileManagers,
  type FileManagersOptions,
} from '../../../src/main/desktop/file-managers/file-managers.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { both } from './hostile-presets.ts'

let folder: string
const at = (...parts: readonly string[]) => join(folder, ...parts)

beforeEach(() => {
  folder = temporaryFolder()
})

/** A folder on the `PATH` with these programs. */
function programs(...names: readonly string[]): string {
  mkdirSync(at('bin'), { recursive: true })
  for (const name of names) {
    writeFileSync(at('bin', name), '')
    chmodSync(at('bin', name), 0o755)
  }
  return at('bin')
}

const managers = (options: Partial<FileManagersOptions> = {}) =>
  createFileManagers({
    platform: 'linux',
    environment: { PATH: programs('dolphin', 'Thunar') },
    homeFolder: at('home'),
    program: '/opt/Mediatray/mediatray',
    isInstalled: true,
    appData: at('appData'),
    dataFolder: at('data'),
    shell: {
      readShortcutLink: () => ({ target: '' }),
      writeShortcutLink: () => true,
    },
    ...options,
  })

describe('on Linux', () => {
  it('entries are written for the file managers on the PATH, in the user’s folders', async () => {
    const { menu, write } = managers()
    expect(menu).toBe('supported')
    expect(await write([both('Web')])).toEqual([])
    expect(readdirSync(at('home/.local/share'))).toEqual(['kio'])
    expect(readFileSync(at('home/.config/Thunar/uca.xml'), 'utf8')).toContain('Mediatray: Web')
  })

  it('the folders can be chosen with the XDG variables', async () => {
    const environment = {
      PATH: programs('nemo', 'thunar'),
      XDG_DATA_HOME: at('d'),
      XDG_CONFIG_HOME: at('c'),
      XDG_CONFIG_DIRS: `${at('none')}:${at('system')}`,
    }
    mkdirSync(at('system/Thunar'), { recursive: true })
    writeFileSync(at('system/Thunar/uca.xml'), '<actions>\n<!-- from the system -->\n</actions>\n')
    await managers({ environment }).write([both('Web')])
    expect(existsSync(at('d/nemo/actions/mediatray-preset-1.nemo_action'))).toBe(true)
    expect(readFileSync(at('c/Thunar/uca.xml'), 'utf8')).toContain('from the system')
    expect(existsSync(at('home'))).toBe(false)
  })

  it('entries are removed for a file manager that is no longer installed', async () => {
    await managers().write([both('Web')])
    await managers({ environment: { PATH: '' } }).write([both('Web')])
    expect(existsSync(at('home/.local/share/kio/servicemenus/mediatray-preset-1.desktop'))).toBe(false)
    expect(existsSync(at('home/.config/Thunar/uca.xml'))).toBe(false)
  })

  it('a desktop without any of them isn’t supported, and a damaged file is reported', async () => {
    expect(managers({ environment: { PATH: at('nowhere') } }).menu).toBe('unsupported')
    expect(managers({ environment: {} }).menu).toBe('unsupported')
    mkdirSync(at('home/.config/Thunar'), { recursive: true })
    writeFileSync(at('home/.config/Thunar/uca.xml'), 'damaged')
    expect(await managers().write([both('Web')])).toEqual([
      { path: at('home/.config/Thunar/uca.xml'), message: 'this isn’t a list of custom actions' },
    ])
  })
})

it('on macOS, Quick Actions are written even if the system can’t be notified', async () => {
  const { menu, write } = managers({ platform: 'darwin' })
  expect(menu).toBe('supported')
  expect(await write([both('Web')])).toEqual([])
  expect(readdirSync(at('home/Library/Services'))).toEqual(['Web (Mediatray).workflow'])
})

it('on Windows, keys that can’t be written are reported', async () => {
  mkdirSync(at('data'))
  const { menu, write } = managers({ platform: 'win32', environment: { SystemRoot: at('nowhere') } })
  expect(menu).toBe('supported')
  const troubles = await write([both('Web')])
  expect(troubles.map(({ path }) => path)).toEqual(['Mediatray.Presets'])
})

it('an app that isn’t installed writes nothing', async () => {
  const { menu, write } = managers({ isInstalled: false })
  expect(menu).toBe('notInstalled')
  expect(await write([both('Web')])).toEqual([])
  expect(existsSync(at('home'))).toBe(false)
})
