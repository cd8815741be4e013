/**
 * The bridge: `window.mediatray`, one function for every call of the contract. No channel name, no Electron object and no
 * free-form `send` reaches the page.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { channelOf, eventChannelOf, type Answer } from '../shared/ipc/channels.ts'
import type { ContractNames } from '../shared/ipc/contract.ts'

/** The build writes the names of the contract in here. */
declare const CONTRACT_NAMES: ContractNames
const { calls, events: eventNames } = CONTRACT_NAMES

const call = (group: string, name: string) => async (argument?: unknown) => {
  const answer: Answer = await ipcRenderer.invoke(channelOf(group, name), argument)
  if (answer.ok) return answer.value
  throw answer.error
}

/** Paths of real files that were dropped on the page or pasted into it. A page can name any path, but not make such a file. */
const brought = new Set<string>()

function pathForFile(file: File): string {
  const path = webUtils.getPathForFile(file)
  if (path !== '') brought.add(path)
  return path
}

/** What is no list is left to main, which says what is wrong with it. */
const onlyBrought = (paths: unknown): unknown =>
  Array.isArray(paths)
    ? paths.filter((path: unknown) => typeof path === 'string' && brought.has(path))
    : paths

const groups = calls.map(([group, names]) => [
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

const events = new Map(eventNames.map((name) => [name, eventOn(eventChannelOf(name))]))

const addPaths = call('draft', 'addPaths')
const bring = call('preview', 'bring')
const byGroup = Object.fromEntries(groups)

contextBridge.exposeInMainWorld('mediatray', {
  ...byGroup,
  draft: { ...byGroup['draft'], addPaths: (paths: unknown) => addPaths(onlyBrought(paths)) },
  preview: { ...byGroup['preview'], bring: (paths: unknown) => bring(onlyBrought(paths)) },
  on(name: string, listener: Listener) {
    const event = events.get(name)
    if (event === undefined) throw new Error(`There is no event "${name}"`)
    return event(listener)
  },
  pathForFile,
})
