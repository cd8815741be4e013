/** Names unfinished files in users' folders, and removes those that killed services left there. */
import { randomBytes } from 'node:crypto'
import { appendFile, lstat, mkdir, readdir, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { DAY_MS } from '../../shared/durations.ts'
import { isTakenAway, mountPointOf } from '../../node/mounted-disk.ts'
import { readRegularFile } from '../../node/open-regular.ts'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'
import { removePrivateFolder } from '../../node/private-folder.ts'
import { removeReservation } from '../../node/publish-file.ts'
import { ifPossible } from '../../node/if-possible.ts'

export type TemporaryFiles = Awaited<ReturnType<typeof openTemporaryFiles>>

/**
 * How long services retry removing the leftovers listed in a notes file, in ms since its last change. Removal can fail because a disk is
 * disconnected or a worker has outlived its service.
 */
const NOTES_KEPT_MS = 7 * DAY_MS

/** Prefix of names that only the process with this mark uses. */
const prefixOf = (mark: string): string => `.mediatray-${mark.slice(mark.indexOf('-') + 1)}`

/**
 * Keeps a notes file for this process and removes leftovers of processes that have ended.
 * @param notes absolute; created if missing
 */
export async function openTemporaryFiles(notes: string, log: (message: string) => void) {
  const own = path.join(notes, OWN_MARK)
  const noted = new Map<string, Promise<void>>()
  let names = 0
  /** Removes leftovers of processes that have ended, from the folders that those processes noted. */
  const sweep = () =>
    removeLeftovers(notes).catch((error: unknown) => log(`couldn't remove leftovers: ${String(error)}`))
  await sweep()

  const mounts = new Set<string>()

  async function noteFolder(folder: string): Promise<void> {
    const mount = await mountPointOf(folder)
    if (mount !== undefined) mounts.add(mount)
    await note(folder)
  }

  async function note(place: string): Promise<void> {
    await mkdir(notes, { recursive: true, mode: 0o700 })
    await appendFile(own, `${JSON.stringify(place)}\n`, { mode: 0o600 })
  }

  return {
    /**
     * Notes the folder before anything is written there, so that the next service finds leftovers.
     * @param folder absolute
     * @returns a free, hidden name that can't be guessed, for a file or a private folder
     */
    async nameIn(folder: string): Promise<string> {
      const noting = noted.get(folder) ?? noteFolder(folder)
      noted.set(folder, noting)
      // A folder that can't be noted is used anyway. The next file tries again.
      await noting.catch((error: unknown) => {
        noted.delete(folder)
        log(`couldn't note a folder: ${String(error)}`)
      })
      names += 1
      return `${prefixOf(OWN_MARK)}-${names}-${randomBytes(8).toString('hex')}`
    },
    // A result that can't be noted is placed anyway.
    /** Records a name before an empty placeholder file reserves it. */
    noteReservation: (target: string): Promise<void> =>
      note(target).catch((error: unknown) => log(`couldn't note a name: ${String(error)}`)),
    sweep,
    /** Removes leftovers, including those of this process. Then deletes its notes, unless leftovers may be on a disconnected disk. */
    async close(): Promise<void> {
      // A worker that outlived its service may have written after the last sweep.
      await sweep()
      // The folder's disk may have been disconnected when a task ended.
      for (const folder of noted.keys()) await removeAllNamed(prefixOf(OWN_MARK), folder)
      const away = await Promise.all([...mounts].map(isTakenAway))
      if (!away.includes(true)) await rm(own, { force: true })
    },
  }
}

async function removeLeftovers(notes: string): Promise<void> {
  for (const mark of await readdir(notes).catch(() => [])) {
    if (isOwnerAlive(mark)) continue
    const file = path.join(notes, mark)
    const { mtimeMs } = await stat(file)
    for (const place of placesIn(await readRegularFile(file))) {
      await removeAllNamed(prefixOf(mark), place)
      await removeReservation(place, mtimeMs)
    }
    if (Date.now() - mtimeMs > NOTES_KEPT_MS) await rm(file, { force: true })
  }
}

/** Removes every entry with this prefix. In a private folder, it removes only files that are named after the folder. */
async function removeAllNamed(prefix: string, folder: string): Promise<void> {
  const names = await readdir(folder).catch(() => [])
  for (const name of names.filter((one) => one.startsWith(`${prefix}-`))) {
    const left = path.join(folder, name)
    const found = await lstat(left).catch(() => undefined)
    if (found?.isDirectory() === true) await removePrivateFolder(left)
    else await rm(left, { force: true }).catch(() => undefined)
  }
}

/** Parses the noted folders and reserved names. The last line may be truncated. */
function placesIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    const place = ifPossible((): unknown => JSON.parse(line))
    return typeof place === 'string' && path.isAbsolute(place) ? [place] : []
  })
}
