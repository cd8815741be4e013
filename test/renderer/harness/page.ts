/**
 * The script of the tests' page, instead of `src/renderer/main.tsx`. Shows the window for one script after the other in the same
 * page, because loading the page takes five times as long as showing the window.
 */
import { render } from 'preact'
import { showWindow } from '../../../src/renderer/show-window.tsx'
import type { ContractNames } from '../../../src/shared/ipc/contract.ts'
import { installBridge, type Script } from './fake-bridge.ts'

declare global {
  interface Window {
    /** Shows the window for a script, without a trace of the previous one. */
    play(script: Script, names: ContractNames): Promise<void>
  }
}

let root = document.querySelector('#app')

let stopListening = followListeners()

window.play = async (script, names) => {
  if (root === null) throw new Error('The page has no #app element')
  render(null, root)
  // A click ends the wait for a control, which could otherwise get the focus in the next window.
  dispatchEvent(new Event('pointerdown'))
  stopListening()
  // Observers of the previous window stay with its element.
  root = document.createElement('div')
  root.id = 'app'
  clearDocument(root)
  stopListening = followListeners()
  installBridge(script, names)
  await showWindow(window.mediatray, Date.now, root)
}

/** Tracks the listeners that are added to the window and the document. Returns a function that removes them. */
function followListeners(): () => void {
  const added = new AbortController()
  for (const target of [window, document]) {
    const add = EventTarget.prototype.addEventListener.bind(target)
    target.addEventListener = (
      type: string,
      listener: EventListenerOrEventListenerObject | null,
      options?: boolean | AddEventListenerOptions,
    ) => {
      const given = typeof options === 'object' ? options : { capture: options === true }
      const signals = given.signal === undefined ? [added.signal] : [added.signal, given.signal]
      add(type, listener, { ...given, signal: AbortSignal.any(signals) })
    }
  }
  return () => added.abort()
}

/** Removes what a test or the window has changed outside of the root. */
function clearDocument(shown: Element): void {
  document.body.replaceChildren(shown)
  const { documentElement } = document
  for (const name of documentElement.getAttributeNames()) documentElement.removeAttribute(name)
  documentElement.lang = 'en'
  getSelection()?.removeAllRanges()
  scrollTo(0, 0)
}
