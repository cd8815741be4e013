import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, readlinkSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { MessageBoxOptions } from 'electron'
import { beforeEach, expect, it } from 'vitest'
import { createInstallCommand } from '../../../src/main/desktop/install-command.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

let home: string
let launcher: string

beforeEach(() => {
  home = temporaryFolder()
  launcher = join(home, 'It’s "Mediatray".app/Contents/Resources/bin/mediatray-cli')
  mkdirSync(join(launcher, '..'), { recursive: true })
  writeFileSync(launcher, '')
})

async function install({ folder = home, response = 0, isTemporary = false } = {}) {
  const shown: MessageBoxOptions[] = []
  let copied = ''
  await createInstallCommand({
    launcher,
    isTemporary,
    folder,
    t: () => createTranslation('en-GB', 'UTC'),
    copy: (text) => (copied = text),
    dialogs: {
      ask: (options) => {
        shown.push(options)
        return Promise.resolve(response)
      },
    },
  })()
  return { message: shown[0]?.message, detail: shown[0]?.detail, copied }
}

it('creates a link to the command, and replaces the link of an app that was installed elsewhere', async () => {
  const link = join(home, 'mediatray-cli')
  symlinkSync('/Old/Mediatray.app/Contents/Resources/bin/mediatray-cli', link)
  expect(await install()).toMatchObject({ message: 'mediatray-cli is installed', detail: link })
  expect(readlinkSync(link)).toBe(launcher)
})

it('doesn’t replace another program’s file', async () => {
  const link = join(home, 'mediatray-cli')
  writeFileSync(link, 'mine')
  expect((await install()).message).toBe('Another program is already named mediatray-cli')
  expect(readFileSync(link, 'utf8')).toBe('mine')
})

it('shows a correctly quoted shell command if only an administrator can install the link', async () => {
  const folder = join(home, 'not there')
  const { detail = '', copied } = await install({ folder, response: 1 })
  expect(copied).toBe(detail)
  mkdirSync(folder)
  const typed = detail.replaceAll('sudo ', '').replace(/^mkdir .*? && /, '')
  execFileSync('sh', ['-c', typed])
  expect(readlinkSync(join(folder, 'mediatray-cli'))).toBe(launcher)
  expect((await install({ folder: join(home, 'nor there') })).copied).toBe('')
})

it('doesn’t link to an app whose path changes, for example on a disk image', async () => {
  expect((await install({ isTemporary: true })).message).toBe('Move Mediatray to Applications first')
})
