/** Finds files that programs have open for writing, such as a paused recording. */
import { readdirSync, readlinkSync } from 'node:fs'
import { lstat, readFile, stat } from 'node:fs/promises'
import { basename } from 'node:path'
import { createInterface } from 'node:readline'
import { startProgram } from './child-process.ts'
import { forEachLimited } from './limited.ts'
import { ifPossible } from './if-possible.ts'

type WriterCheck = (path: string) => Promise<boolean>

/**
 * Returns those of the files that a program has open for writing. Looks once through the open files of all processes that this user may
 * examine, so pass many files at once. Sees neither other users' processes nor a file that is only mapped into memory.
 *
 * On Windows, the result is empty: no call lists the handles of other programs. Opening a file without sharing it would reveal a writer,
 * but that program would fail if it opened the file again meanwhile. If a program doesn't share its file for reading, every attempt to read
 * the file fails. Most programs don't share their files for deletion, so these files can't be moved.
 */
export async function openForWriting(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const written = new Set<string>()
  if (paths.length === 0) return written
  const isWritten = await listOpenFiles()
  await forEachLimited(paths, async (path) => {
    if (await isWritten(path)) written.add(path)
  })
  return written
}

/**
 * Creates a check like `openForWriting` for one file at a time.
 * @param maxAgeMs how old the list of open files may be
 */
export function createWriterCheck(maxAgeMs: number): WriterCheck {
  let listed: { readonly at: number; readonly check: Promise<WriterCheck> } | undefined
  return async (path) => {
    const at = performance.now()
    if (listed === undefined || at - listed.at > maxAgeMs) listed = { at, check: listOpenFiles() }
    return (await listed.check)(path)
  }
}

function listOpenFiles(): Promise<WriterCheck> {
  if (process.platform === 'linux') return listInProc()
  if (process.platform === 'darwin') return listWithLsof('/usr/sbin/lsof')
  return Promise.resolve(() => Promise.resolve(false))
}

/** Time limit for lsof, in ms. A process that waits for an unresponsive share can hold lsof up. Most lists take less than a second. */
const LSOF_MS = 10_000

/** Suppresses warnings and doesn't look up names of hosts and ports. Prints descriptor, access mode, device and inode, each on a line. */
const LSOF_ARGS = ['-w', '-n', '-P', '-F', 'faDi'] as const

/** Lists open files with lsof, which is part of macOS. @returns a check that finds nothing if lsof fails */
export async function listWithLsof(program: string, limitMs = LSOF_MS): Promise<WriterCheck> {
  const child = startProgram(program, { args: LSOF_ARGS, asGroup: true })
  const timer = setTimeout(() => child.kill(), limitMs)
  const written = new Set<string>()
  let isWriter = false
  let device = ''
  for await (const line of createInterface({ input: child.stdout })) {
    const value = line.slice(1)
    const [field] = line
    if (field === 'f') {
      // The next descriptor.
      isWriter = false
      device = ''
    } else if (field === 'a') isWriter = value === 'w' || value === 'u'
    else if (field === 'D') device = /^0x[\da-f]+$/i.test(value) ? String(BigInt(value)) : ''
    else if (field === 'i' && isWriter) written.add(`${device}:${value}`)
  }
  // Ignore the exit code: it is 1 even if lsof merely couldn't examine some processes.
  await child.ended
  clearTimeout(timer)
  return async (path) => {
    const { dev, ino } = (await lstat(path, { bigint: true }).catch(() => undefined)) ?? {}
    return written.has(`${dev}:${ino}`)
  }
}

type Descriptor = { readonly link: string; readonly info: string }

/** The bits of a descriptor's flags that contain its access mode; 0 means reading. */
const ACCESS_MODE = 0o3

/** Lists the descriptors of all processes in `/proc`, by the files' names. */
async function listInProc(): Promise<WriterCheck> {
  const open = new Map<string, Descriptor[]>()
  for (const id of entriesOf('/proc').filter((name) => /^\d+$/.test(name))) {
    const folder = `/proc/${id}`
    for (const number of entriesOf(`${folder}/fd`)) {
      const link = `${folder}/fd/${number}`
      const name = basename(targetOf(link))
      if (name !== '')
        open.set(name, [...(open.get(name) ?? []), { link, info: `${folder}/fdinfo/${number}` }])
    }
    // Let other work run. Each call takes microseconds, much less than on another thread, but there may be thousands.
    await new Promise((resolve) => setImmediate(resolve))
  }
  // Examines only files with the same name. Examining any other file could block, for example on a share that doesn't respond.
  return (path) => isWrittenBy(open.get(basename(path)) ?? [], path)
}

/**
 * Returns the entries of a folder; none if it can't be read. Other users' processes can't be examined, and any process may end at any time.
 */
const entriesOf = (folder: string): readonly string[] => ifPossible(() => readdirSync(folder)) ?? []

/** Returns where a descriptor leads; '' for anything but a file. */
function targetOf(link: string): string {
  const target = ifPossible(() => readlinkSync(link)) ?? ''
  return target.startsWith('/') ? target : ''
}

async function isWrittenBy(descriptors: readonly Descriptor[], path: string): Promise<boolean> {
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
