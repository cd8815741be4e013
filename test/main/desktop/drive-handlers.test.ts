import { chmod, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createChosenPrograms } from '../../../src/main/desktop/ipc/chosen-programs.ts'
import { chooseRclone } from '../../../src/main/desktop/ipc/drive-handlers.ts'
import { calls } from '../../../src/shared/ipc/contract.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import type { SettingsPatch } from '../../../src/shared/model/settings.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const t = () => createTranslation('en')

/** Handlers for a user who picks a file with these permissions, or dismisses the dialog. */
async function picks(mode: number | null) {
  const path = join(temporaryFolder(), 'rclone')
  await writeFile(path, '')
  await chmod(path, mode ?? 0o755)
  const kept: SettingsPatch[] = []
  const settings = { update: (patch: SettingsPatch) => void kept.push(patch) } as never
  const dialogs = { askToOpen: () => Promise.resolve(mode === null ? [] : [path]) } as never
  const choose = chooseRclone({
    settings,
    programs: createChosenPrograms({ settings, dialogs, t }),
    drive: { setup: () => ({ rclone: { found: true, version: null }, remotes: [], chosen: null }) } as never,
    t,
  })
  return { path, kept, choose }
}

test('the program that the user picked in a dialog is saved', async () => {
  const { path, kept, choose } = await picks(0o755)
  expect(await choose()).toMatchObject({ rclone: { found: true } })
  expect(kept).toEqual([{ rclonePath: path }])
})

test('a dismissed dialog changes nothing', async () => {
  const { kept, choose } = await picks(null)
  expect(await choose()).toBeNull()
  expect(kept).toEqual([])
})

test.each([0o644, 0o777])('refuses a file with the mode %o and keeps the previous program', async (mode) => {
  const { kept, choose } = await picks(mode)
  await expect(choose()).rejects.toMatchObject({ code: 'program' })
  expect(kept).toEqual([])
})

test('the page can’t name a program in any call', () => {
  expect(calls.settings.update.argument.safeParse({ rclonePath: '/bin/sh' }).success).toBe(false)
  expect(calls.drive.chooseRclone.argument.safeParse('/bin/sh').success).toBe(false)
})
