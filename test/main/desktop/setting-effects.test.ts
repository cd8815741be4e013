import { expect, it } from 'vitest'
import {
  desktopBindsShortcuts,
  settingEffects,
} from '../../../src/main/desktop/integration/setting-effects.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'

const withShortcut = { ...DEFAULT_SETTINGS, globalShortcut: 'Control+Alt+M' }

it('at launch, registers a configured shortcut, and doesn’t change the system’s login item', () => {
  expect(settingEffects({ ...DEFAULT_SETTINGS, startAtLogin: true }, undefined)).toEqual([
    { do: 'offerQuickTasks' },
  ])
  expect(settingEffects(withShortcut, undefined)).toEqual([
    { do: 'setShortcut', for: 'newJob', accelerator: 'Control+Alt+M' },
    { do: 'offerQuickTasks' },
  ])
})

it('passes only changes on to the system', () => {
  expect(settingEffects({ ...withShortcut, keepHistoryDays: 4 }, withShortcut)).toEqual([])
  expect(settingEffects({ ...withShortcut, clipboardShortcut: 'Alt+C' }, withShortcut)).toEqual([
    { do: 'setShortcut', for: 'processClipboard', accelerator: 'Alt+C' },
  ])
  expect(settingEffects(DEFAULT_SETTINGS, withShortcut)).toEqual([
    { do: 'setShortcut', for: 'newJob', accelerator: null },
  ])
  expect(settingEffects({ ...DEFAULT_SETTINGS, startAtLogin: true }, DEFAULT_SETTINGS)).toEqual([
    { do: 'setStartAtLogin', wanted: true },
  ])
  expect(settingEffects(DEFAULT_SETTINGS, { ...DEFAULT_SETTINGS, startAtLogin: true })).toEqual([
    { do: 'setStartAtLogin', wanted: false },
  ])
  expect(settingEffects({ ...DEFAULT_SETTINGS, language: 'de' }, DEFAULT_SETTINGS)).toEqual([
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
