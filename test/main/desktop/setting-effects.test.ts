import { expect, it } from 'vitest'
import {
  desktopBindsShortcuts,
  settingEffects,
} from '../../../src/main/desktop/integration/setting-effects.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const withShortcut = { ...DEFAULT_SETTINGS, globalShortcut: 'Control+Alt+M' }

const effects = (settings: typeof DEFAULT_SETTINGS, before: typeof DEFAULT_SETTINGS | undefined) =>
  settingEffects(settings, before, 'here')

it('at launch, registers a configured shortcut, and changes the login item only if it was never set here', () => {
  const atLogin = (startAtLogin: boolean, startAtLoginOn: string | null) =>
    effects({ ...DEFAULT_SETTINGS, startAtLogin, startAtLoginOn }, undefined)
  for (const known of [atLogin(true, 'here'), atLogin(false, null), atLogin(false, 'there')])
    expect(known).toEqual([{ do: 'offerQuickTasks' }])
  for (const wanted of [true, false])
    expect(atLogin(wanted, wanted ? 'there' : 'here')).toEqual([
      { do: 'setStartAtLogin', wanted },
      { do: 'offerQuickTasks' },
    ])
  expect(effects(withShortcut, undefined)).toEqual([
    { do: 'setShortcut', for: 'newJob', accelerator: 'Control+Alt+M' },
    { do: 'offerQuickTasks' },
  ])
})

it('passes only changes on to the system', () => {
  expect(effects({ ...withShortcut, keepHistoryDays: 4 }, withShortcut)).toEqual([])
  expect(effects({ ...withShortcut, clipboardShortcut: 'Alt+C' }, withShortcut)).toEqual([
    { do: 'setShortcut', for: 'processClipboard', accelerator: 'Alt+C' },
  ])
  expect(effects(DEFAULT_SETTINGS, withShortcut)).toEqual([
    { do: 'setShortcut', for: 'newJob', accelerator: null },
  ])
  expect(effects({ ...DEFAULT_SETTINGS, startAtLogin: true }, DEFAULT_SETTINGS)).toEqual([
    { do: 'setStartAtLogin', wanted: true },
  ])
  expect(effects(DEFAULT_SETTINGS, { ...DEFAULT_SETTINGS, startAtLogin: true })).toEqual([
    { do: 'setStartAtLogin', wanted: false },
  ])
  expect(effects({ ...DEFAULT_SETTINGS, language: 'de' }, DEFAULT_SETTINGS)).toEqual([
    { do: 'offerQuickTasks' },
  ])
})

it.each([
  ['linux', 'wayland', true],
  ['linux', 'x11', false],
  ['darwin', '', false],
] as const)(
  'on %s with Chromium’s platform %j, the desktop binds shortcuts: %s',
  (platform, ozone, expected) => {
    expect(desktopBindsShortcuts(platform, ozone)).toBe(expected)
  },
)
