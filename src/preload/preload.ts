/**
 * The bridge: `window.mediatray`, one function for every call of the contract. No channel name, no Electron object and no
 * free-form `send` reaches the page.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { CALL_NAMES, EVENT_CHANNELS, channelOf, type Answer } from '../shared/ipc/channels.ts'

const call = (group: string, name: string) => async (argument?: unknown) => {
  const answer: Answer = await ipcRenderer.invoke(channelOf(group, name), argument)
  if (answer.ok) return answer.value
  throw answer.error
}

const groups = Object.entries(CALL_NAMES).map(([group, names]) => [
  group,
  Object.fromEntries(names.map((name) => [name, call(group, name)])),
])

type Listener = (payload: unknown) => void

/** What comes before the page listens is kept for it: a click on a notification may be what opened the window. */
function eventOn(channel: string): (listener: Listener) => () => void {
  const listeners = new Set<Listener>()
  const early: unknown[] = []
  let isAwaited = true
  ipcRenderer.on(channel, (_event, payload: unknown) => {
    if (isAwaited) early.push(payload)
    for (const listener of listeners) listener(payload)
  })
  return (listener) => {
    listeners.add(listener)
    isAwaited = false
    for (const payload of early.splice(0)) listener(payload)
    return () => listeners.delete(listener)
  }
}

const events = new Map(Object.entries(EVENT_CHANNELS).map(([name, channel]) => [name, eventOn(channel)]))

contextBridge.exposeInMainWorld('mediatray', {
  ...Object.fromEntries(groups),
  on(name: string, listener: Listener) {
    const event = events.get(name)
    if (event === undefined) throw new Error(`There is no event "${name}"`)
    return event(listener)
  },
  pathForFile: (file: File) => webUtils.getPathForFile(file),
})
