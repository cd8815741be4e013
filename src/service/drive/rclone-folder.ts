import { rm, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type FolderAddress } from '../../shared/drive-folder.ts'
import { extensionOf, mediaKindOf } from '../../shared/media-types.ts'
import {
  explainTrouble,
  type FailureKind,
  isFolderEntry,
  LIST_FOLDER,
  LOOK_AT_ENTRY,
  mayBeFile,
  parseListing,
  troubleOf,
} from '../../node/rclone/index.ts'
import { DriveFailure, type DriveFolder, type TransferControl } from './drive.ts'
import type { RunRclone } from './run-rclone.ts'

/** `-v`: says of each file that it was copied. The statistics tell how far it is. */
const COPY_ONE = ['copyto', '--ignore-existing', '-v', '--stats=1s', '--stats-log-level=NOTICE'] as const

/**
 * The names are in a file of their own, one a line, and nothing in them means anything to rclone. It lists the folder once, which
 * costs fewer requests than looking for each of them. What does not come at once is fetched alone, and tried again then: here
 * each failure would make all others wait longer.
 */
const COPY_LISTED = [
  'copy',
  '--max-depth=1',
  '--ignore-existing',
  '-v',
  '--transfers=8',
  '--low-level-retries=1',
] as const

/** How rclone reaches one folder; every call is a process of its own, so a broken one takes nothing with it. */
export function rcloneFolder(id: string, address: FolderAddress, run: RunRclone): DriveFolder {
  const { options, folder, prefix } = address

  async function copy(
    source: string,
    target: string,
    control: TransferControl,
  ): Promise<{ readonly copied: boolean }> {
    let copied = false
    await run({
      command: [...COPY_ONE, ...options],
      operands: [source, target],
      signal: control.signal,
      onLog({ msg, share }) {
        if (/\bCopied \(/.test(msg)) copied = true
        if (share !== undefined) control.onProgress?.(share)
      },
    })
    return { copied }
  }

  return {
    id,
    async list(signal) {
      const text = await run({ command: [...LIST_FOLDER, ...options], operands: [folder], signal }).catch(
        (error: unknown) => {
          throw isNotFound(error) ? noSuchFolder(id) : error
        },
      )
      const entries = parseListing(text)
      if (mayBeFile(entries, folder)) {
        const seen = await run({ command: [...LOOK_AT_ENTRY, ...options], operands: [folder], signal })
        if (!isFolderEntry(seen)) {
          throw new DriveFailure({
            kind: 'notFound',
            message: `This is a file in the cloud drive, not a folder: ${id}`,
          })
        }
      }
      return entries
    },
    async fetch(name, into, control) {
      const target = join(into, fetchedName(name))
      const { copied } = await copy(`${prefix}${name}`, target, control).catch((error: unknown) => {
        throw isNotFound(error) ? goneFile() : error
      })
      if (!copied) throw goneFile()
      if (!(await isFile(target))) throw goneFile()
      return target
    },
    async fetchTogether(names, into, { signal, onArrived }) {
      const listed = `${into}.names`
      const wanted = new Set(names)
      // Each of the others would wait for the same drive.
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
    async upload(path, name, control) {
      const { copied } = await copy(path, `${prefix}${name}`, control)
      return copied ? 'uploaded' : 'nameTaken'
    },
  }
}

const isAboutDrive = (kind: FailureKind): boolean =>
  kind !== 'notFound' && kind !== 'permission' && kind !== 'other'

/** A name of our own: that of the drive could lead out of the folder, or mean a device, on one system or another. */
function fetchedName(name: string): string {
  const ending = extensionOf(name)
  return mediaKindOf(name) === undefined ? 'input' : `input.${ending}`
}

const isFile = (path: string): Promise<boolean> =>
  stat(path).then(
    (found) => found.isFile(),
    () => false,
  )

const isNotFound = (error: unknown): boolean => error instanceof DriveFailure && error.kind === 'notFound'

const noSuchFolder = (id: string) =>
  new DriveFailure({ kind: 'notFound', message: `There is no such folder in the cloud drive: ${id}` })

const goneFile = () =>
  new DriveFailure({ ...troubleOf('notFound'), message: 'The file is no longer in the cloud drive' })
