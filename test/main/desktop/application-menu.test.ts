import { expect, it } from 'vitest'
import { applicationMenu } from '../../../src/main/desktop/menus/application-menu.ts'
import { quickTasks } from '../../../src/main/desktop/menus/quick-tasks.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { clickMenu, createMenus, describeMenu } from '../../stand-in/electron/menu.ts'
import { createRecord } from '../../stand-in/electron/record.ts'
import type { RecordedMenuItem } from '../../stand-in/recorded.ts'

const { Menu } = createMenus(createRecord())

function menuOn(platform: NodeJS.Platform, { hasHomePage = true, hasCommand = true } = {}) {
  const did: string[] = []
  const menu = Menu.buildFromTemplate(
    applicationMenu(platform, createTranslation('en-GB', 'UTC'), {
      onAction: (action) => void did.push(action.do),
      hasHelp: hasHomePage,
      hasCommand,
    }),
  )
  return { menu, did, shown: describeMenu(menu) }
}

/** Each selectable item as "Menu > Item". */
const paths = (shown: readonly RecordedMenuItem[]): readonly string[] =>
  shown.flatMap(({ label, submenu }) =>
    (submenu ?? []).flatMap((item) => (item.type === 'separator' ? [] : [`${label} > ${item.label}`])),
  )

it('has Settings and Quit under File, or under the app’s name on macOS', () => {
  const linux = paths(menuOn('linux').shown)
  expect(linux).toEqual(expect.arrayContaining(['File > Settings…', 'File > Quit']))
  expect(linux).not.toContain('File > Close Window')
  const mac = paths(menuOn('darwin').shown)
  expect(mac).toEqual(
    expect.arrayContaining(['Mediatray > Settings…', 'Mediatray > Quit', 'File > Close Window']),
  )
  expect(mac).not.toContain('File > Settings…')
  expect(mac).not.toContain('File > Quit')
})

it('performs the actions of its items, which show the window’s shortcuts', () => {
  const { menu, did, shown } = menuOn('win32')
  const chosen = ['New job', 'Add files…', 'Add folder…', 'Settings…']
  const file = shown.find(({ label }) => label === 'File')?.submenu ?? []
  expect(
    file
      .filter(({ accelerator }) => accelerator !== null)
      .map(({ label, accelerator }) => [label, accelerator]),
  ).toEqual([
    [chosen[0], 'CommandOrControl+N'],
    [chosen[1], 'CommandOrControl+O'],
    [chosen[2], 'CommandOrControl+Shift+O'],
    [chosen[3], 'CommandOrControl+,'],
  ])
  for (const label of chosen) clickMenu(menu, ['File', label], {})
  clickMenu(menu, ['Edit', 'Search jobs'], {})
  clickMenu(menu, ['Help', 'Mediatray help'], {})
  expect(did).toEqual(['newJob', 'addFiles', 'addFolder', 'settings', 'search', 'help'])
})

it('has no Help menu if the build has no home page', () => {
  expect(paths(menuOn('linux').shown)).toContain('Help > Mediatray help')
  expect(menuOn('linux', { hasHomePage: false }).shown.map(({ label }) => label)).not.toContain('Help')
})

it('offers to install the command only on macOS, and only if the build includes it', () => {
  const { menu, did } = menuOn('darwin')
  clickMenu(menu, ['Mediatray', 'Install command…'], {})
  expect(did).toEqual(['installCommand'])
  for (const shown of [menuOn('linux').shown, menuOn('darwin', { hasCommand: false }).shown])
    expect(paths(shown).join()).not.toContain('Install command')
})

it('the quick tasks are in the app’s language', () => {
  expect(quickTasks(createTranslation('de-DE', 'UTC')).map(({ title }) => title)).toEqual([
    'Neuer Auftrag',
    'Bild einfügen',
  ])
})
