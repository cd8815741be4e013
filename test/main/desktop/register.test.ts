import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'
import { expect, it } from 'vitest'
import { isOurPage } from '../../../src/main/desktop/ipc/register.ts'

/** The parts of a window and a call that are checked: sender, frame and address. */
function windowAt(url: string) {
  const mainFrame = { url }
  const webContents = { mainFrame }
  return { webContents, mainFrame, window: { webContents } as unknown as BrowserWindow }
}
const call = (sender: unknown, senderFrame: unknown) =>
  ({ sender, senderFrame }) as unknown as IpcMainInvokeEvent

const { window, webContents, mainFrame } = windowAt('app://mediatray/')

it('accepts the main frame of our own window', () => {
  expect(isOurPage(call(webContents, mainFrame), window)).toBe(true)
})

it('rejects frames inside the page, other windows, missing frames, and any sender while there is no window', () => {
  const other = windowAt('app://mediatray/')
  expect(isOurPage(call(webContents, { url: 'app://mediatray/' }), window)).toBe(false)
  expect(isOurPage(call(other.webContents, other.mainFrame), window)).toBe(false)
  expect(isOurPage(call(other.webContents, mainFrame), window)).toBe(false)
  expect(isOurPage(call(webContents, null), window)).toBe(false)
  expect(isOurPage(call(webContents, mainFrame), undefined)).toBe(false)
})

it.each(['app://mediatray', 'app://mediatray.evil/', 'https://mediatray/', 'file:///index.html'])(
  'rejects our own window once it shows %s',
  (url) => {
    const strayed = windowAt(url)
    expect(isOurPage(call(strayed.webContents, strayed.mainFrame), strayed.window)).toBe(false)
  },
)
