import { existsSync, mkdirSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { ownerInApp } from '../../../src/main/cli/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { NO_ACCESS } from '../../../src/shared/model/assistants.ts'
import { basicDefaults } from '../../../src/shared/preset/preset.ts'
import { firstOf, itInLongSuite } from '../../faults/long-suite.ts'
import { SAMPLE } from '../../faults/photo-folders.ts'
import { watchFolder } from '../../watch-folder.ts'
import { openTestApp } from '../core/open-core.ts'
import { run, runHere, runProcess, temporaryFolder } from './command.ts'

/** A computer with a home folder and the app's settings. */
function computer() {
  const home = temporaryFolder()
  const data = join(home, 'data')
  mkdirSync(data)
  const options = { cwd: home, env: { HOME: home, MEDIATRAY_DATA_DIR: data } }
  const settings = () => createSettings(openSettingsFile(join(data, 'settings.json')))
  const presets = join(data, 'service', 'presets')
  const run = (...argv: readonly string[]) => runHere(argv, options)
  return { home, data, presets, settings, run }
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
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('This isn’t a settings file. Nothing was changed.\n'),
    ])
  }
  const given = {
    keepAwake: true,
    keepHistoryDays: -1,
    hologram: true,
    rclonePath: '/bin/evil',
    metricsFile: file,
    defaultOutput: { kind: 'folder', path: String.raw`C:\Out` },
  }
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: given }))
  const { code, stderr } = await run('settings', 'import', file, '--yes')
  expect(code).toBe(0)
  expect(stderr).toContain('newer version and can’t be imported: hologram')
  expect(stderr).toContain('aren’t imported: keepHistoryDays')
  expect(stderr).toContain(String.raw`Not found: C:\Out`)
  const { keepAwake, keepHistoryDays, rclonePath, metricsFile } = settings().view()
  expect([keepAwake, keepHistoryDays, rclonePath, metricsFile]).toEqual([true, null, null, null])
  expect((await run('settings', 'check', 'missing.json')).code).toBe(4)
  expect(existsSync(join(home, 'missing.json'))).toBe(false)
})

test('nothing is exported if values can’t be read, because an import of the rest would remove them elsewhere', async () => {
  const { home, data, run } = computer()
  const folder = { ...watchFolder('/inbox', '/out'), grouping: 'apart' }
  writeFileSync(
    join(data, 'settings.json'),
    JSON.stringify({ settings: { watchFolders: [folder], quiet: { from: '25:00' } } }),
  )
  const file = join(home, 'moved.json')
  const { code, stdout, stderr } = await run('settings', 'export', '--output', file)
  expect([code, stdout, existsSync(file)]).toEqual([4, '', false])
  expect(stderr).toContain('these settings can’t be read: quiet.from, watchFolders.')
  writeFileSync(join(data, 'settings.json'), 'damaged')
  expect((await run('settings', 'export')).code).toBe(4)
})

test('an exported file has only the servers of webhooks and only the user’s own presets, and importing it here changes nothing', async () => {
  const { home, presets, settings, run } = computer()
  writePreset(presets, 'Gallery')
  const url = 'https://hooks.example/services/T0/SECRET?token=SECRET'
  const folder = watchFolder(join(home, 'In'), join(home, 'Out'))
  settings().update({
    afterJob: { program: null, url },
    watchFolders: [{ ...folder, enabled: false, afterJob: { program: null, url } }],
  })
  const file = join(home, 'moved.json')
  const { code, stdout, stderr } = await run('settings', 'export', '--output', file)
  expect([code, stdout]).toEqual([0, ''])
  expect(stderr).not.toContain('Not exported')
  const text = readFileSync(file, 'utf8')
  expect(text).not.toContain('SECRET')
  expect(text).toContain('"https://hooks.example/"')
  expect(JSON.parse(text).presets.map(({ name }: { name: string }) => name)).toEqual(['Gallery'])
  expect((await run('settings', 'check', file)).stderr).toContain('These are the settings you already have')

  const other = computer()
  other.settings().update({ afterJob: { program: null, url: `${url}2` } })
  writeFileSync(
    file,
    JSON.stringify({
      mediatraySettings: 1,
      settings: { afterJob: { program: null, url: 'https://b.example/KEY' } },
    }),
  )
  for (const json of [[], ['--json']])
    expect((await other.run('settings', 'check', file, ...json)).stdout).not.toMatch(/SECRET|KEY/)
})

test('without a terminal, a new service is imported only with --allow-service, which accepts its address with or without a slash', async () => {
  const { home, settings, run } = computer()
  const file = join(home, 'moved.json')
  const service = 'http://127.0.0.1:18801/api'
  const other = { service: 'https://other.example/api', seesFiles: false }
  const moved = { connection: 'external', baseUrl: service, otherServices: [other], keepAwake: true }
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: moved }))
  expect((await run('settings', 'check', file)).stderr).toContain(`--allow-service ${service}`)
  const { code, stderr } = await run('settings', 'import', file, '--yes')
  expect([code, stderr]).toEqual([3, expect.stringContaining(`--allow-service ${other.service}`)])
  const { connection, otherServices, keepAwake } = settings().view()
  expect([connection, otherServices, keepAwake]).toEqual([null, [], true])

  expect((await run('settings', 'import', file, '--yes', '--allow-service', `${service}/`)).code).toBe(3)
  expect(settings().view()).toMatchObject({ connection: 'external', baseUrl: service, otherServices: [] })
})

test('values that the app wouldn’t accept from the user are listed and not imported', async () => {
  const { home, settings, run } = computer()
  const file = join(home, 'moved.json')
  const moved = {
    connection: 'external',
    baseUrl: 'http://evil.example/api',
    otherServices: [{ service: 'http://evil2.example/api', seesFiles: true }],
    defaultOutput: { kind: 'folder', path: 'rel' },
    watchFolders: [watchFolder('rel', '/out')],
    language: 'xx\u001b[31m',
    folderRules: {
      a: { rules: [], rest: 'guess' },
      b: {
        rules: [{ id: 'r', when: [{ about: 'subfolder', path: 'Scans' }], action: { do: 'ignore' } }],
        rest: 'process',
      },
    },
  }
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: moved }))
  const { stderr } = await run('settings', 'import', file, '--yes')
  expect(stderr).toContain(
    'aren’t imported: baseUrl, otherServices, defaultOutput, watchFolders, language, folderRules.a.',
  )
  expect(settings().view()).toMatchObject({
    connection: null,
    otherServices: [],
    defaultOutput: null,
    watchFolders: [],
    folderRules: { a: null, b: { rules: [{ when: [{ path: 'Scans' }] }] } },
    language: 'system',
  })
})

test.each(
  firstOf([
    ['utf16le', [0xff, 0xfe]],
    ['utf8', [0xef, 0xbb, 0xbf]],
  ] as const),
)('reads a file in %s with a byte order mark, as Windows PowerShell writes it', async (encoding, mark) => {
  const { home, run } = computer()
  const file = join(home, 'moved.json')
  const text = Buffer.from(JSON.stringify({ mediatraySettings: 1, settings: { keepAwake: true } }), encoding)
  writeFileSync(file, Buffer.concat([Buffer.from(mark), text]))
  expect((await run('settings', 'check', file)).stdout).toContain('keepAwake: false → true')
})

itInLongSuite.each([
  ['a trailing slash', (home: string) => `${home}/`, '~/In'],
  ['a dot', (home: string) => `${home}/.`, '~/In'],
  ['nothing', () => '', '/In'],
])('paths begin with ~ even if HOME ends in %s', async (_what, homeAs, shown) => {
  const { home, data, settings } = computer()
  const path = shown.startsWith('~') ? join(home, 'In') : '/In'
  settings().update({ defaultOutput: { kind: 'folder', path } })
  const env = { HOME: homeAs(home), MEDIATRAY_DATA_DIR: data }
  const { stdout } = await runProcess(['settings', 'export'], { cwd: home, env })
  expect(JSON.parse(stdout).settings.defaultOutput.path).toBe(shown)
})

test('an import while the app runs gives it the presets, and switches its service after a question that names it', async () => {
  const { home, data } = computer()
  createSettings(openSettingsFile(join(data, 'settings.json'))).update({ connection: 'builtIn' })
  const file = join(home, 'moved.json')
  const service = 'http://127.0.0.1:18801/api'
  const moved = { connection: 'external', baseUrl: service, keepAwake: true }
  const presets = [{ ...basicDefaults(), name: 'Gallery' }]
  writeFileSync(file, JSON.stringify({ mediatraySettings: 1, settings: moved, presets }))
  const { core: app, ...parts } = openTestApp(data)
  const refreshPresets = vi.spyOn(app.connection, 'refreshPresets')
  const asked: string[] = []
  const importing = (agrees: (question: string) => boolean) =>
    run(['settings', 'import', file], {
      owner: ownerInApp(app, parts),
      env: { HOME: home, MEDIATRAY_DATA_DIR: data },
      cwd: home,
      confirm: async (question) => {
        asked.push(question)
        return agrees(question)
      },
    })
  try {
    expect((await importing((question) => !question.includes(service))).code).toBe(3)
    expect([app.connection.view().kind, app.settings.view().connection]).toEqual(['builtIn', 'builtIn'])
    expect(refreshPresets).toHaveBeenCalled()
    expect((await importing(() => true)).code).toBe(0)
    expect(app.connection.view()).toMatchObject({ kind: 'external', baseUrl: service })
    expect(app.settings.view()).toMatchObject({ connection: 'external', baseUrl: service, keepAwake: true })
    expect(asked.filter((question) => question.includes(service))).toHaveLength(2)
  } finally {
    await app.close()
  }
})
