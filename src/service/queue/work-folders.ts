/** Private folders for what is only on its way: files fetched from a drive, and results to be delivered there. */
import { randomUUID } from 'node:crypto'
import { chmod, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { hasCode } from '../../node/errors.ts'

export type WorkFolders = {
  /** A new empty folder that only this user can look into. @returns its absolute path */
  create(): Promise<string>
  /** Removes such a folder with everything in it. */
  remove(folder: string): Promise<void>
  /** Removes all of them. */
  close(): Promise<void>
}

/**
 * Each process has a folder of its own below `root`, named for it, so that what a killed one has left can be told from
 * what belongs to another service on the same data. What is left over is removed here.
 */
export async function createWorkFolders(
  root: string,
  isAlive: (pid: number) => boolean = isProcess,
): Promise<WorkFolders> {
  const own = join(root, `${process.pid}-${randomUUID()}`)
  await sweep(root, isAlive)
  return {
    async create() {
      const folder = join(own, randomUUID())
      await mkdir(folder, { recursive: true, mode: 0o700 })
      return folder
    },
    remove: removeFolder,
    close: () => removeFolder(own),
  }
}

async function sweep(root: string, isAlive: (pid: number) => boolean): Promise<void> {
  await mkdir(root, { recursive: true, mode: 0o700 })
  // An older folder may have been made with other rights.
  await chmod(root, 0o700)
  for (const name of await readdir(root)) {
    const pid = Number(/^(\d+)-/.exec(name)?.[1])
    // Several services of one process, as in its tests, leave each other alone; a process of before had another number.
    if (!Number.isSafeInteger(pid) || !isAlive(pid)) await removeFolder(join(root, name))
  }
}

const removeFolder = (folder: string): Promise<void> =>
  rm(folder, { recursive: true, force: true, maxRetries: 3 })

function isProcess(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    // There, but another user's.
    return hasCode(error, 'EPERM')
  }
}
