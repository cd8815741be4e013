import { expect, it } from 'vitest'
import { desktopBindsShortcuts } from '../../../src/main/desktop/integration/shortcut-binding.ts'

it.each([
  ['linux', { sessionType: 'wayland', ozonePlatform: '' }, true],
  ['linux', { sessionType: 'wayland', ozonePlatform: 'x11' }, false],
  ['linux', { sessionType: 'x11', ozonePlatform: '' }, false],
  ['linux', { sessionType: undefined, ozonePlatform: '' }, false],
  ['darwin', { sessionType: 'wayland', ozonePlatform: '' }, false],
] as const)('On %s with %j the desktop binds shortcuts: %s', (platform, session, expected) => {
  expect(desktopBindsShortcuts(platform, session)).toBe(expected)
})
