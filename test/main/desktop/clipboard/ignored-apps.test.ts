import { expect, it } from 'vitest'
import { whyIgnored } from '../../../../src/main/desktop/clipboard/ignored-apps.ts'
import { appsIn, isListed, MAX_IGNORED_APPS } from '../../../../src/shared/model/ignored-apps.ts'

it.each([
  ['', []],
  [' , ,\n', []],
  ['KeePassXC, Signal', ['KeePassXC', 'Signal']],
  ['1Password 7\r\nsignal,Signal.exe ,SIGNAL', ['1Password 7', 'signal']],
  ['a'.repeat(500), ['a'.repeat(100)]],
])('reads the list %j', (text, apps) => {
  expect(appsIn(text)).toEqual(apps)
})

it('keeps at most as many apps as can be stored', () => {
  const many = Array.from({ length: 9_999 }, (_, index) => `app ${index}`).join(',')
  expect(appsIn(many)).toHaveLength(MAX_IGNORED_APPS)
})

it.each([
  ['keepassxc', ['KeePassXC']],
  ['KeePassXC.exe', ['KeePassXC', 'password manager']],
  ['Preview', ['com.apple.Preview', 'Vorschau', 'Preview.app']],
  ['com.apple.preview', ['com.apple.Preview']],
  [' Größe ', ['gro\u0308ße']],
])('%j is among the names %j', (listed, names) => {
  expect(isListed(['other', listed], names)).toBe(true)
})

it.each([
  ['KeePass', ['KeePassXC']],
  ['.exe', ['notepad']],
  ['', ['notepad']],
  ['.*', ['notepad']],
])('%j isn’t among the names %j', (listed, names) => {
  expect(isListed([listed], names)).toBe(false)
})

it('asks for the app in front only if there is a list, and ignores unknown ones', async () => {
  let asked = 0
  const inFront = (names: readonly string[] | undefined) => ({
    names() {
      asked += 1
      return Promise.resolve(names)
    },
  })
  expect(await whyIgnored([], inFront(undefined))).toBeUndefined()
  expect(asked).toBe(0)
  expect(await whyIgnored(['signal'], inFront(['notepad']))).toBeUndefined()
  expect(await whyIgnored(['signal'], inFront(['Signal']))).toBe('the app in front is in the list')
  expect(await whyIgnored(['signal'], inFront(undefined))).toBe('the app in front is unknown')
  expect(asked).toBe(3)
})
