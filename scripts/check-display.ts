/** Checks whether a display is available for a window. */
import { once } from 'node:events'
import { connect } from 'node:net'
import { join } from 'node:path'

/** @returns why there is no display, in a sentence; undefined if there is one */
export async function displayProblem(): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined
  const { WAYLAND_DISPLAY: wayland = '', DISPLAY: x11 = '', XDG_RUNTIME_DIR: folder = '' } = process.env
  if (wayland === '' && x11 === '') return 'No display was found.'
  if (wayland !== '' && (await answers(wayland.startsWith('/') ? wayland : join(folder, wayland))))
    return undefined
  const local = /^(?:unix)?:(\d+)/.exec(x11)?.[1]
  // A display over the network is trusted without a check.
  if (x11 !== '' && (local === undefined || (await answers(`/tmp/.X11-unix/X${local}`)))) return undefined
  return `The display ${x11 === '' ? wayland : x11} doesn’t respond.`
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
