import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { NO_ACCESS } from '../../../src/shared/model/assistants.ts'
import { basicDefaults } from '../../../src/shared/preset/preset.ts'
import { SAMPLE } from '../../faults/photo-folders.ts'
import { watchFolder } from '../../watch-folder.ts'
import { runProcess, temporaryFolder } from './command.ts'

/** A computer with a home folder and the app's settings. */
function computer() {
  const home = temporaryFolder()
  const data = join(home, 'data')
  mkdirSync(data)
  const options = { cwd: home, env: { HOME: home, MEDIATRAY_DATA_DIR: data } }
  const settings = () => createSettings(openSettingsFile(join(data, 'settings.json')))
  const presets = join(data, 'service', 'presets')
  const run = (...argv: readonly string[]) => runProcess(argv, options)
  return { home, presets, settings, run }
}

function writePreset(folder: string, name: string): void {
  mkdirSync(folder, { recursive: true })
  const preset = { ...basicDefaults(), name }
  writeFileSync(join(folder, `${name.toLowerCase()}.json`), JSON.stringify(preset))
}

test('an export of one computer makes another one process the same watched folder, without a key and without programs', async () => {
  const [one, other] = [computer(), computer()]
  writePreset(one.presets, 'Gallery')
  const inbox = watchFolder(join(one.home, 'Inbox'), join(one.home, 'Out'), { presets: ['Gallery'] })
  const away = { ...inbox, id: 'away', path: '/Volumes/Card' }
  one.settings().update({
    watchFolders: [inbox, away],
    afterJob: { program: '/bin/true', url: 'https://hooks.example/' },
    receivers: [{ id: 'phone', format: 'ntfy', host: 'ntfy.sh' }],
    assistants: { ...NO_ACCESS, enabled: true, folders: [{ path: one.home, realPath: one.home }] },
    outboxPaused: true,
  })
  const { code, stdout } = await one.run('settings', 'export')
  expect(code).toBe(0)
  expect(stdout).not.toContain(one.home)
  const file = join(other.home, 'settings-of-one.json')
  writeFileSync(file, stdout)

  mkdirSync(join(other.home, 'Inbox'))
  const checked = await other.run('settings', 'check', file, '--json')
  expect(checked.stdout).toContain('"event":"settingChange","name":"watchFolders"')
  expect(other.settings().view().watchFolders).toEqual([])
  expect((await other.run('settings', 'import', file)).code).toBe(4)
  expect(other.settings().view().watchFolders).toEqual([])

  const imported = await other.run('settings', 'import', file, '--yes')
  expect(imported.code).toBe(0)
  expect(imported.stderr).toContain('Not found, so it isn’t watched: /Volumes/Card')
  const { watchFolders, afterJob, receivers, assistants, outboxPaused } = other.settings().view()
  expect(watchFolders.map(({ path, enabled }) => [path, enabled])).toEqual([
    [join(other.home, 'Inbox'), true],
    ['/Volumes/Card', false],
  ])
  expect(afterJob).toEqual({ program: '/bin/true', url: 'https://hooks.example/', on: [] })
  expect(receivers).toEqual([{ id: 'phone', format: 'ntfy', host: 'ntfy.sh', on: [] }])
  expect([assistants.enabled, outboxPaused]).toEqual([false, false])
  writeFileSync(join(other.home, 'Inbox', 'dawn.jpg'), readFileSync(SAMPLE))
  const watched = await other.run('watch', '--once')
  expect([watched.code, watched.stdout + watched.stderr]).toEqual([0, expect.anything()])
  expect(readdirSync(join(other.home, 'Out'))).toHaveLength(1)

  expect((await other.run('settings', 'import', file)).stdout).not.toContain('→')
  expect(await other.run('settings', 'check', file)).toMatchObject({
    code: 0,
    stderr: expect.stringContaining('These are the settings you already have'),
  })
})

test('a file that isn’t one with settings changes nothing, and values that can’t be read are named', async () => {
  const { home, run, settings } = computer()
  const file = join(home, 'file.json')
  for (const text of ['not JSON', '{}', '{"mediatraySettings": 2, "settings": {}}', '[1]']) {
    writeFileSync(file, text)
    const { code, stderr } = await run('settings', 'import', file, '--yes')
    expect([code, stderr]).toEqual([4, 'This isn’t a settings file. Nothing was changed.\n'])
  }
  const given = {
    keepAwake: true,
    keepHistoryDays: -1,
    hologram: true,
    rclonePath: '/bin/evil',
    metricsFile: file,
  }
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: given }))
  const { code, stderr } = await run('settings', 'import', file, '--yes')
  expect(code).toBe(0)
  expect(stderr).toContain('newer version and can’t be imported: hologram')
  expect(stderr).toContain('aren’t imported: keepHistoryDays')
  const { keepAwake, keepHistoryDays, rclonePath, metricsFile } = settings().view()
  expect([keepAwake, keepHistoryDays, rclonePath, metricsFile]).toEqual([true, null, null, null])
  expect((await run('settings', 'check', 'missing.json')).code).toBe(4)
  expect(existsSync(join(home, 'missing.json'))).toBe(false)
})
