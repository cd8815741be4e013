import type { BrowserWindow, IpcMainInvokeEvent } from 'electron'
import { expect, it } from 'vitest'
import { isOurPage } from '../../../src/main/desktop/ipc/register.ts'

/** As much of a window and of a call as is looked at: who sent it, from which frame, with which address. */
function windowAt(url: string) {
  const mainFrame = { url }
  const webContents = { mainFrame }
  return { webContents, mainFrame, window: { webContents } as unknown as BrowserWindow }
}
const call = (sender: unknown, senderFrame: unknown) =>
  ({ sender, senderFrame }) as unknown as IpcMainInvokeEvent

const { window, webContents, mainFrame } = windowAt('app://mediatray/')

it('believes the main frame of our own window', () => {
  expect(isOurPage(call(webContents, mainFrame), window)).toBe(true)
})

it('believes no frame inside it, no other window, no frame that is gone and nobody while there is no window', () => {
  const other = windowAt('app://mediatray/')
  expect(isOurPage(call(webContents, { url: 'app://mediatray/' }), window)).toBe(false)
  expect(isOurPage(call(other.webContents, other.mainFrame), window)).toBe(false)
  expect(isOurPage(call(other.webContents, mainFrame), window)).toBe(false)
  expect(isOurPage(call(webContents, null), window)).toBe(false)
  expect(isOurPage(call(webContents, mainFrame), undefined)).toBe(false)
})

it.each(['app://mediatray', 'app://mediatray.evil/', 'https://mediatray/', 'file:///index.html'])(
  'does not believe our own window once it shows %s',
  (url) => {
    const strayed = windowAt(url)
    expect(isOurPage(call(strayed.webContents, strayed.mainFrame), strayed.window)).toBe(false)
  },
)
