import { existsSync, realpathSync, renameSync, writeFileSync } from 'node:fs'
import fs from 'node:fs/promises'
import { syncBuiltinESMExports } from 'node:module'
import { basename, dirname, join } from 'node:path'

/** A fault while results are being placed. */
export type FaultyPlacing = {
  /** Whether the file system supports hard links. */
  readonly links: boolean
  /** Happens once: kills the process, moves the folder away, or replaces it with a file. */
  readonly fault: 'kill' | 'vanish' | 'block'
  /** Number of the failing call, counted over all calls that create or rename a file in the folder, from 1. */
  readonly step: number
  readonly folder: string
}

/** Installs the fault. Call it in a dedicated process, before loading any code that places results. */
export function failPlacing({ links, fault, step, folder }: FaultyPlacing): void {
  const happened = join(dirname(folder), 'happened')
  const { link, open, rename } = fs
  let steps = 0

  function take(path: unknown): void {
    if (typeof path !== 'string' || !isIn(folder, path) || basename(path).startsWith('.')) return
    steps += 1
    if (steps !== step || existsSync(happened)) return
    writeFileSync(happened, fault)
    if (fault === 'kill') process.kill(process.pid, 'SIGKILL')
    else renameSync(folder, `${folder}-away`)
    if (fault === 'block') writeFileSync(folder, '')
  }

  fs.link = (from, to) => {
    if (!links) return Promise.reject(Object.assign(new Error('EPERM: no hard links'), { code: 'EPERM' }))
    take(to)
    return link(from, to)
  }
  fs.open = (path, flags, mode) => {
    if (flags === 'wx') take(path)
    return open(path, flags, mode)
  }
  fs.rename = (from, to) => {
    take(to)
    return rename(from, to)
  }
  syncBuiltinESMExports()
}

/** Results are placed through the opened folder, whose path is that of a descriptor. */
const isIn = (folder: string, path: string): boolean =>
  dirname(path) === folder || (existsSync(dirname(path)) && realpathSync(dirname(path)) === folder)
