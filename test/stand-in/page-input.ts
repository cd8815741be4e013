/** What a user drags or pastes into a page, through Chromium's debugging protocol. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { Page } from 'playwright-core'

/** A selector, or a point in the page. */
export type DropTarget = string | { readonly x: number; readonly y: number }

/**
 * Drags files and folders over the window by their paths, as from a file manager.
 * @returns a function that drops them
 */
export async function dragOver(
  page: Page,
  target: DropTarget,
  paths: readonly string[],
): Promise<() => Promise<void>> {
  const { x, y } = typeof target === 'string' ? await middleOf(page, target) : target
  const session = await page.context().newCDPSession(page)
  const data = { items: [], files: [...paths], dragOperationsMask: 1 }
  const send = (type: 'dragEnter' | 'dragOver' | 'drop') =>
    session.send('Input.dispatchDragEvent', { type, x, y, data })
  await send('dragEnter')
  await send('dragOver')
  return async () => {
    await hoverUntilAccepted(page, () => send('dragOver'))
    await send('drop')
    await session.detach()
  }
}

/** Maximum number of events of a resting pointer, and the time between them in ms. */
const HOVERS = 40
const HOVER_MS = 50

/**
 * Hovers like a resting pointer, which keeps sending events, until the page accepts a drop. Chromium delivers no drop that the page hasn't
 * accepted, and the element under the pointer may have been replaced since the drag entered.
 */
async function hoverUntilAccepted(page: Page, hover: () => Promise<unknown>): Promise<void> {
  const isAccepted = page
    .evaluate<boolean>(ACCEPTED)
    // The page may be closed meanwhile.
    .catch(() => true)
  for (let hovers = 0; hovers < HOVERS; hovers++) {
    await hover()
    if (await Promise.race([isAccepted, sleep(HOVER_MS, false)])) return
  }
}

// A string, because it runs in the page while this file is type-checked for Node.
const ACCEPTED = `new Promise((resolve) => {
  addEventListener('dragover', (event) => {
    if (event.defaultPrevented) resolve(true)
  })
})`

export type Pasted = {
  readonly paths?: readonly string[]
  readonly images?: readonly { readonly name: string; readonly type: string; readonly bytes: Uint8Array }[]
}

/** Pastes into the page: files with a path, or images without one. */
export async function pasteInto(page: Page, given: Pasted): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const expression = `Object.assign(document.createElement('input'), { type: 'file', multiple: true })`
  const { result } = await session.send('Runtime.evaluate', { expression })
  const field = { objectId: result.objectId ?? '' }
  if (given.paths !== undefined)
    await session.send('DOM.setFileInputFiles', { files: [...given.paths], ...field })
  const images = (given.images ?? []).map((image) => ({ ...image, bytes: [...image.bytes] }))
  const { exceptionDetails } = await session.send('Runtime.callFunctionOn', {
    ...field,
    functionDeclaration: `function (images) {
      const clipboardData = new DataTransfer()
      for (const file of this.files) clipboardData.items.add(file)
      for (const { name, type, bytes } of images)
        clipboardData.items.add(new File([new Uint8Array(bytes)], name, { type }))
      const target = document.activeElement ?? document.body
      target.dispatchEvent(
        new ClipboardEvent('paste', { clipboardData, bubbles: true, cancelable: true, composed: true }),
      )
    }`,
    arguments: [{ value: images }],
  })
  await session.detach()
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.text)
}

async function middleOf(page: Page, selector: string): Promise<{ x: number; y: number }> {
  const box = await page.locator(selector).boundingBox()
  if (box === null) throw new Error(`No element matches ${selector}`)
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 }
}
