/**
 * The single-instance lock, which works across real processes.
 * Like Chromium's, a symbolic link in the user data folder names the owner. Further instances put their messages next to that link. Reading
 * and writing are synchronous, like `requestSingleInstanceLock`.
 */
import {
  existsSync,
  type FSWatcher,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
  watch,
  writeFileSync,
} from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'

export type SecondInstance = {
  readonly argv: string[]
  readonly workingDirectory: string
  readonly additionalData: unknown
}

/** How long Chromium waits for the first instance, in ms (`process_singleton_posix.cc`). */
const PATIENCE_MS = 20_000

export function createInstanceLock(
  folder: () => string,
  onSecond: (second: SecondInstance) => void,
  platform: () => string,
) {
  let watcher: FSWatcher | null = null

  const lockFile = () => join(folder(), platform() === 'win32' ? 'lockfile' : 'SingletonLock')
  const letters = () => join(folder(), 'stand-in-instances')

  const become = (): boolean => {
    if (!take()) return false
    watcher = watch(letters(), readLetters)
    return true
  }
  const take = (): boolean => {
    if (attempt(link)) return true
    if (ownerIn(lockFile()) !== undefined) return false
    // The process that owned the lock was killed.
    return attempt(() => rmSync(lockFile(), { force: true })) && attempt(link)
  }
  const link = () => symlinkSync(`${hostname()}-${process.pid}`, lockFile())
  /** Waits until the first instance has read the message. One that doesn't respond is killed. */
  const isTaken = (letter: string): boolean => {
    const until = performance.now() + PATIENCE_MS
    while (existsSync(letter)) {
      const owner = ownerIn(lockFile())
      if (owner === undefined || performance.now() > until) {
        if (owner !== undefined) process.kill(owner, 'SIGKILL')
        rmSync(letter, { force: true })
        return false
      }
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 10)
    }
    return true
  }
  const readLetters = () => {
    for (const name of readdirSync(letters())
      .filter((file) => file.endsWith('.json'))
      .toSorted()) {
      const file = join(letters(), name)
      const second = JSON.parse(readFileSync(file, 'utf8')) as SecondInstance
      rmSync(file)
      onSecond(second)
    }
  }
  return {
    /** @returns whether this process is the first; if not, the first has been notified, or the lock couldn't be created */
    request(message: SecondInstance): boolean {
      if (watcher !== null) return true
      mkdirSync(letters(), { recursive: true })
      if (become()) return true
      const name = `${process.hrtime.bigint()}-${process.pid}`
      const letter = join(letters(), `${name}.json`)
      writeFileSync(join(letters(), `${name}.part`), JSON.stringify(message))
      renameSync(join(letters(), `${name}.part`), letter)
      return !isTaken(letter) && become()
    },
    release(): void {
      if (watcher === null) return
      watcher.close()
      watcher = null
      rmSync(lockFile(), { force: true })
    },
  }
}

function attempt(act: () => void): boolean {
  try {
    act()
    return true
  } catch {
    return false
  }
}

/** Returns the process that has the lock; undefined if it has ended. */
function ownerIn(file: string): number | undefined {
  try {
    const owner = Number(readlinkSync(file).split('-').at(-1))
    return isAlive(owner) ? owner : undefined
  } catch {
    return undefined
  }
}

export const isAlive = (pid: number): boolean => attempt(() => process.kill(pid, 0))
