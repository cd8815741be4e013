/** Finds files that programs have open for writing, such as a recording that pauses. */
import { readdirSync, readlinkSync } from 'node:fs'
import { lstat, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { forEachLimited } from './limited.ts'

/** The entries in `/proc` of all open files, by the files' names. */
type OpenFiles = ReadonlyMap<string, readonly Descriptor[]>
type Descriptor = { readonly link: string; readonly info: string }

/** The bits of a descriptor's flags that contain its access mode; 0 is reading. */
const ACCESS_MODE = 0o3

/**
 * Returns which of these files a program has open for writing. Looks once through the open files of all processes that this user may
 * examine, so pass many files at once. Sees neither other users' processes nor a file that is only mapped into memory.
 *
 * Only Linux reports this. On Windows, a file that is being written usually can't be opened or moved. On macOS, the result is empty.
 */
export async function openForWriting(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const written = new Set<string>()
  if (paths.length === 0) return written
  const open = await listOpenFiles()
  await forEachLimited(paths, async (path) => {
    if (await isWrittenIn(open, path)) written.add(path)
  })
  return written
}

/**
 * Creates a check like `openForWriting` for one file at a time.
 * @param maxAgeMs how old the list of open files may be
 */
export function createWriterCheck(maxAgeMs: number): (path: string) => Promise<boolean> {
  let listed: { readonly at: number; readonly open: Promise<OpenFiles> } | undefined
  return async (path) => {
    const at = performance.now()
    if (listed === undefined || at - listed.at > maxAgeMs) listed = { at, open: listOpenFiles() }
    return isWrittenIn(await listed.open, path)
  }
}

async function listOpenFiles(): Promise<OpenFiles> {
  const open = new Map<string, Descriptor[]>()
  if (process.platform !== 'linux') return open
  for (const id of entriesOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const folder = `/proc/${id}`
    for (const number of entriesOf(`${folder}/fd`)) {
      const link = `${folder}/fd/${number}`
      const name = basename(targetOf(link))
      if (name !== '')
        open.set(name, [...(open.get(name) ?? []), { link, info: `${folder}/fdinfo/${number}` }])
    }
    // Each call takes microseconds, much less than on another thread, but there may be thousands.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return open
}

/** Other users' processes can't be examined, and any process may end at any time. */
function entriesOf(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** @returns '' for anything but a file */
function targetOf(link: string): string {
  try {
    const target = readlinkSync(link)
    return target.startsWith('/') ? target : ''
  } catch {
    return ''
  }
}

/** Examines only files with the same name. Examining any other could block, for example on a share that doesn't answer. */
async function isWrittenIn(open: OpenFiles, path: string): Promise<boolean> {
  const descriptors = open.get(basename(path)) ?? []
  if (descriptors.length === 0) return false
  const wanted = await lstat(path, { bigint: true }).catch(() => undefined)
  const all = await Promise.all(
    descriptors.map(async ({ link, info }) => {
      try {
        const { dev, ino } = await stat(link, { bigint: true })
        if (dev !== wanted?.dev || ino !== wanted.ino) return false
        const flags = /^flags:\s*(\d+)/m.exec(await readFile(info, 'latin1'))?.[1] ?? '0'
        return (Number.parseInt(flags, 8) & ACCESS_MODE) !== 0
      } catch {
        return false
      }
    }),
  )
  return all.includes(true)
}
