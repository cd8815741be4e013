/**
 * The bridge: `window.mediatray`, one function for every call of the contract. No channel name, no Electron object and no
 * free-form `send` reaches the page.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { CALL_NAMES, EVENT_CHANNELS, channelOf, type Answer } from '../shared/ipc-channels.ts'

const call = (group: string, name: string) => async (argument?: unknown) => {
  const answer: Answer = await ipcRenderer.invoke(channelOf(group, name), argument)
  if (answer.ok) return answer.value
  throw answer.error
}

const groups = Object.entries(CALL_NAMES).map(([group, names]) => [
  group,
  Object.fromEntries(names.map((name) => [name, call(group, name)])),
])

contextBridge.exposeInMainWorld('mediatray', {
  ...Object.fromEntries(groups),
  on(name: string, listener: (event: unknown) => void) {
    if (!Object.hasOwn(EVENT_CHANNELS, name)) throw new Error(`There is no event "${name}"`)
    const channel = EVENT_CHANNELS[name as keyof typeof EVENT_CHANNELS]
    const heard = (_event: unknown, payload: unknown) => listener(payload)
    ipcRenderer.on(channel, heard)
    return () => ipcRenderer.off(channel, heard)
  },
  pathForFile: (file: File) => webUtils.getPathForFile(file),
})
