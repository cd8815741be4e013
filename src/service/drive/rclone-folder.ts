import { isFile } from '../../node/exists.ts'
import { reason } from '../../shared/failure/failure.ts'
import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderAddress } from '../../shared/drive-folder.ts'
import { extensionOf, mediaKindOf } from '../../shared/media-types.ts'
import {
  explainTrouble,
  type FailureKind,
  isFolderEntry,
  LIST_FOLDER,
  STAT_ENTRY,
  mayBeFile,
  parseListing,
} from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder, type TransferControl } from './drive.ts'
import { contentHash } from '../../node/content-hash.ts'
import type { RunRclone } from './run-rclone.ts'

/** `-v` logs each copied file. The statistics contain the progress. */
const COPY_ONE = ['copyto', '--ignore-existing', '-v', '--stats=1s', '--stats-log-level=NOTICE'] as const

/**
 * Reads the names from a separate file, one per line, where rclone doesn't interpret special characters. rclone lists the folder only once,
 * which takes fewer requests than a lookup per file. Failed files are retried individually, because a retry here would delay all other
 * files.
 */
const COPY_LISTED = [
  'copy',
  '--max-depth=1',
  '--ignore-existing',
  '-v',
  '--transfers=8',
  '--low-level-retries=1',
] as const

/** Downloads the file to compute its hash, because not every back end provides hashes, and none provides every kind. */
const HASH_CONTENT = ['hashsum', 'sha256', '--download'] as const

/** Accesses a folder through rclone. Every call is a separate process, so a failure affects only that call. */
export function rcloneFolder(id: string, address: FolderAddress, run: RunRclone): DriveFolder {
  const { options, folder, prefix } = address

  async function copy(
    source: string,
    target: string,
    control: TransferControl,
    beforeRepeat?: () => Promise<void>,
  ): Promise<{ readonly copied: boolean }> {
    let copied = false
    const call: Parameters<RunRclone>[0] = {
      command: [...COPY_ONE, ...options],
      operands: [source, target],
      signal: control.signal,
      onLog({ msg, share }) {
        if (/\bCopied \(/.test(msg)) copied = true
        if (share !== undefined) control.onProgress?.(share)
      },
    }
    await unlessEnded(() => run(call), beforeRepeat)
    return { copied }
  }

  return {
    id,
    async list(signal) {
      const list = () => run({ command: [...LIST_FOLDER, ...options], operands: [folder], signal })
      const text = await unlessEnded(list).catch((error: unknown) => {
        throw isNotFound(error) ? noSuchFolder(id) : error
      })
      const entries = parseListing(text)
      if (mayBeFile(entries, folder)) {
        const look = () => run({ command: [...STAT_ENTRY, ...options], operands: [folder], signal })
        if (!isFolderEntry(await unlessEnded(look))) {
          throw new DriveFailure({ kind: 'notFound', reason: reason('driveFolderIsFile', { id }) })
        }
      }
      return entries
    },
    async fetch(name, into, control) {
      const target = join(into, fetchedName(name))
      // Remove the partial file before a second attempt, because rclone doesn't replace files.
      const removePart = () => rm(target, { force: true })
      const { copied } = await copy(`${prefix}${name}`, target, control, removePart).catch(
        (error: unknown) => {
          throw isNotFound(error) ? goneFile() : error
        },
      )
      if (!copied) throw goneFile()
      if (!(await isFile(target))) throw goneFile()
      return target
    },
    async fetchTogether(names, into, { signal, onArrived }) {
      const listed = `${into}.names`
      const wanted = new Set(names)
      // Aborts the batch after an error that affects the whole drive, because every other transfer would fail too.
      const hopeless = new AbortController()
      await writeFile(listed, names.map((name) => `${name}\n`).join(''), { mode: 0o600 })
      try {
        await run({
          command: [...COPY_LISTED, '--files-from-raw', listed, ...options],
          operands: [folder, into],
          signal: AbortSignal.any([signal, hopeless.signal]),
          onLog({ level, msg, object }) {
            if (object !== undefined && wanted.has(object) && msg.startsWith('Copied ('))
              onArrived(object, join(into, object))
            else if (level === 'error' && isAboutDrive(explainTrouble(msg, null).kind)) hopeless.abort()
          },
        })
      } finally {
        await rm(listed, { force: true })
      }
    },
    async hasContent(name, path, signal) {
      const ask = (command: readonly string[]) =>
        run({ command: [...command, ...options], operands: [`${prefix}${name}`], signal })
      try {
        const { size } = await stat(path)
        const [there] = parseListing(`[${await ask(STAT_ENTRY)}]`)
        if (there?.isFolder !== false || there.size !== size) return false
        const [hash] = (await ask(HASH_CONTENT)).split(/\s/)
        return hash === (await contentHash(path, size))
      } catch (error) {
        if (error instanceof DriveFailure && !isAboutDrive(error.kind)) return false
        throw error
      }
    },
    async upload(path, name, control) {
      const { copied } = await copy(path, `${prefix}${name}`, control)
      return copied ? 'uploaded' : 'nameTaken'
    },
  }
}

/** Runs rclone. If an external signal ended it, repeats the call once, because the drive isn't the cause. */
const unlessEnded = (
  run: () => Promise<string>,
  beforeRepeat: () => Promise<void> = async () => undefined,
): Promise<string> =>
  run().catch(async (error: unknown) => {
    if (!(error instanceof DriveFailure) || error.kind !== 'ended') throw error
    await beforeRepeat()
    return run()
  })

const isAboutDrive = (kind: FailureKind): boolean =>
  kind !== 'notFound' && kind !== 'permission' && kind !== 'ended' && kind !== 'other'

/** Returns a name that we choose. The drive's own name could lead outside the folder or denote a device on some systems. */
function fetchedName(name: string): string {
  const ending = extensionOf(name)
  return mediaKindOf(name) === undefined ? 'input' : `input.${ending}`
}

const isNotFound = (error: unknown): boolean => error instanceof DriveFailure && error.kind === 'notFound'

const noSuchFolder = (id: string) =>
  new DriveFailure({ kind: 'notFound', reason: reason('driveFolderMissing', { id }) })

const goneFile = () => new DriveFailure({ kind: 'notFound', reason: reason('driveFileGone') })
