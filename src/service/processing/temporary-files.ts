/** Names for files that are still being made in people's folders, and the end of those that a killed service has left there. */
import { appendFile, mkdir, readdir, readFile, rm, stat } from 'node:fs/promises'
import path from 'node:path'
import { removeTemporaryFiles } from '../../media/start-worker.ts'
import { isOwnerAlive, OWN_MARK } from '../../node/owner-mark.ts'

export type TemporaryFiles = {
  /**
   * Notes the folder before anything is written there, so that the next start finds what may be left in it.
   *
   * @param folder absolute
   * @returns a hidden name that no other has, to which anything may be added
   */
  nameIn(folder: string): Promise<string>
  /** Nothing is left of this process: forgets the folders. */
  close(): Promise<void>
}

/** Notes are used again at every start for so long, in ms: for a disk that is not there, or a worker that ended late. */
const NOTES_KEPT_MS = 7 * 24 * 60 * 60 * 1000

/** Whose name begins like this belongs to the process with this mark, and to nobody else. */
const prefixOf = (mark: string): string => `.mediatray-${mark.slice(mark.indexOf('-') + 1)}`

/**
 * Keeps a file of notes for each process, and removes what processes that have ended left in the folders of their notes.
 *
 * @param notes absolute; made when missing
 */
export async function openTemporaryFiles(
  notes: string,
  log: (message: string) => void,
): Promise<TemporaryFiles> {
  const own = path.join(notes, OWN_MARK)
  const noted = new Map<string, Promise<void>>()
  let names = 0
  await removeLeftovers(notes).catch((error: unknown) => log(`leftovers not removed: ${String(error)}`))

  async function note(folder: string): Promise<void> {
    await mkdir(notes, { recursive: true, mode: 0o700 })
    await appendFile(own, `${JSON.stringify(folder)}\n`, { mode: 0o600 })
  }

  return {
    async nameIn(folder) {
      const noting = noted.get(folder) ?? note(folder)
      noted.set(folder, noting)
      // A folder that can't be noted is written to all the same; it is tried again with the next file.
      await noting.catch((error: unknown) => {
        noted.delete(folder)
        log(`folder not noted: ${String(error)}`)
      })
      names += 1
      return `${prefixOf(OWN_MARK)}-${names}`
    },
    close: () => rm(own, { force: true }),
  }
}

async function removeLeftovers(notes: string): Promise<void> {
  for (const mark of await readdir(notes).catch(() => [])) {
    if (isOwnerAlive(mark)) continue
    const file = path.join(notes, mark)
    for (const folder of foldersIn(await readFile(file, 'utf8')))
      await removeTemporaryFiles({ folder, temporaryPrefix: prefixOf(mark) })
    const { mtimeMs } = await stat(file)
    if (Date.now() - mtimeMs > NOTES_KEPT_MS) await rm(file, { force: true })
  }
}

/** The last line may be cut off. */
function foldersIn(text: string): string[] {
  return text.split('\n').flatMap((line) => {
    try {
      const folder: unknown = JSON.parse(line)
      return typeof folder === 'string' && path.isAbsolute(folder) ? [folder] : []
    } catch {
      return []
    }
  })
}
