/**
 * The preload bridge: `window.mediatray` with one function per call of the IPC contract. The page never sees a channel name, an
 * Electron object or a free-form `send`.
 */
import { contextBridge, ipcRenderer, webUtils } from 'electron'
import { channelOf, eventChannelOf, type Answer } from '../shared/ipc/channels.ts'
import type { ContractNames } from '../shared/ipc/contract.ts'

/** Injected by the build. */
declare const CONTRACT_NAMES: ContractNames
const { calls, events: eventNames } = CONTRACT_NAMES

const call = (group: string, name: string) => async (argument?: unknown) => {
  const answer: Answer = await ipcRenderer.invoke(channelOf(group, name), argument)
  if (answer.ok) return answer.value
  throw answer.error
}

/**
 * Paths of real files that were dropped on the page or pasted into it. A page can name any path, but it can't forge a `File` with
 * that path.
 */
const droppedPaths = new Set<string>()

function pathForFile(file: File): string {
  const path = webUtils.getPathForFile(file)
  if (path !== '') droppedPaths.add(path)
  return path
}

/** Keeps only the paths of dropped files. Passes anything that isn't an array to the main process, which reports the error. */
const onlyDropped = (paths: unknown): unknown =>
  Array.isArray(paths)
    ? paths.filter((path: unknown) => typeof path === 'string' && droppedPaths.has(path))
    : paths

const groups = Object.fromEntries(
  calls.map(([group, names]) => [group, Object.fromEntries(names.map((name) => [name, call(group, name)]))]),
)

type Listener = (payload: unknown) => void

/** Buffers events until the page subscribes. A click on a notification may have opened the window, and the page must still handle it. */
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

contextBridge.exposeInMainWorld('mediatray', {
  ...groups,
  draft: { ...groups['draft'], addPaths: (paths: unknown) => addPaths(onlyDropped(paths)) },
  preview: { ...groups['preview'], bring: (paths: unknown) => bring(onlyDropped(paths)) },
  on(name: string, listener: Listener) {
    const event = events.get(name)
    if (event === undefined) throw new Error(`There is no event "${name}"`)
    return event(listener)
  },
  pathForFile,
})
