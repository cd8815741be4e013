/** Whether a window could be seen here. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'

/** @returns why there is no display, in a sentence; undefined where there is one */
export async function lookForDisplay(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const { WAYLAND_DISPLAY: wayland = '', DISPLAY: x11 = '', XDG_RUNTIME_DIR: folder = '' } = process.env
  if (wayland === '' && x11 === '') return 'There is no display here.'
  if (wayland !== '' && (await answers(wayland.startsWith('/') ? wayland : join(folder, wayland))))
    return undefined
  const local = /^(?:unix)?:(\d+)/.exec(x11)?.[1]
  // One that is reached over the network is taken at its word.
  if (x11 !== '' && (local === undefined || (await answers(`/tmp/.X11-unix/X${local}`)))) return undefined
  return `Nothing answers at the display ${x11 === '' ? wayland : x11}.`
}

async function answers(path: string): Promise<boolean> {
  const socket = connect(path)
  try {
    await once(socket, 'connect')
    return true
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
