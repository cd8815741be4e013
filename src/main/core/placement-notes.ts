/**
 * Reads the built-in services' logs of saved results. The logs show the results of services that ended without reporting their jobs, and
 * files that watched folders must not process.
 */
import { createHash } from 'node:crypto'
import { closeSync, openSync, readdirSync, readSync, rmSync, statSync } from 'node:fs'
import { uptime } from 'node:os'
import { basename, join } from 'node:path'
import * as z from 'zod'
import { useRegular } from '../../node/open-regular.ts'
import { isTakenAwaySync } from '../../node/mounted-disk.ts'
import { isOwnerAlive } from '../../node/owner-mark.ts'
import { Placement, Upload } from '../../node/placement-notes.ts'
import type { NotedResult } from '../watch/index.ts'

/** `wasPlaced`: the result was at its final path, and the computer hasn't restarted since then. */
export type NotedPlacement = Placement & { readonly wasPlaced?: boolean }

/** The log of one process. */
export type NotesOfService = {
  readonly file: string
  readonly isAlive: boolean
  /** Whether the process shut down cleanly. */
  readonly isOrderly: boolean
  /** When the process started; ms since 1970. */
  readonly begunAt: number
  /** When the process last wrote to the log; ms since 1970. */
  readonly notedAt: number
  /** What the process noted about each job when it accepted the job. */
  readonly jobs: ReadonlyMap<
    string,
    { readonly preset?: string | undefined; readonly folder?: string | undefined }
  >
  readonly placements: readonly NotedPlacement[]
  /** Results that have arrived in a cloud drive. */
  readonly uploads: readonly Upload[]
}

const BeginNote = z.object({ begun: z.number() })
const EndNote = z.object({ ended: z.number() })
const JobNote = z
  .object({ job: z.string(), preset: z.string().optional(), folder: z.string().optional() })
  .transform(({ job, ...facts }) => [job, facts] as const)
const PlacedNote = z.object({ placed: Placement.pick({ jobId: true, path: true, at: true }) })

const UploadNote = z.object({ uploaded: Upload })

export const readPlacementNotes = (folder: string): readonly NotesOfService[] =>
  namesIn(folder).map((name) => {
    const file = join(folder, name)
    // Check this before reading. If the process has ended by now, its log is complete.
    const isAlive = isOwnerAlive(name)
    const lines = linesIn(readLog(file)?.text ?? '')
    const found = statSync(file, { throwIfNoEntry: false })
    const startedAt = Date.now() - uptime() * 1000
    const recent = notesIn(lines, PlacedNote).filter((note) => note.placed.at > startedAt)
    const placed = new Set(recent.map((note) => keyOf(note.placed)))
    return {
      file,
      isAlive,
      isOrderly: notesIn(lines, EndNote).length > 0,
      begunAt: notesIn(lines, BeginNote)[0]?.begun ?? 0,
      notedAt: found?.mtimeMs ?? 0,
      jobs: new Map(notesIn(lines, JobNote)),
      placements: notesIn(lines, Placement).map((one) => ({ ...one, wasPlaced: placed.has(keyOf(one)) })),
      uploads: notesIn(lines, UploadNote).map(({ uploaded }) => uploaded),
    }
  })

const notesIn = <Note extends z.ZodType>(lines: readonly unknown[], note: Note): readonly z.infer<Note>[] =>
  lines.map((line) => note.safeParse(line).data).filter((data) => data !== undefined)

/** Returns the IDs of the jobs that a service has accepted. @param mark of its process */
export const jobsOfService = (folder: string, mark: string): ReadonlySet<string> =>
  new Set(
    readPlacementNotes(folder)
      .filter(({ file }) => basename(file) === mark)
      .flatMap(({ jobs }) => [...jobs.keys()]),
  )

const keyOf = ({ jobId, path }: Pick<Placement, 'jobId' | 'path'>): string => `${jobId} ${path}`

/** @param dataDir absolute; contains the built-in service's folder */
export const placedFolderIn = (dataDir: string): string => join(dataDir, 'service', 'placed')

/** Deletes the logs of services that have ended. Call this when they have been processed. */
export function forgetPlacementNotes(notes: readonly NotesOfService[]): void {
  for (const { file, isAlive } of notes) if (!isAlive) rmSync(file, { force: true })
}

export type PlacedReader = ReturnType<typeof createPlacedReader>

/**
 * Creates a function that passes on the results that services have noted since its last call.
 * @param folder where services write their logs
 */
export function createPlacedReader(
  folder: string,
): (keep: (results: readonly NotedResult[]) => void) => void {
  /** How far each log has been read, and how it begins, because a process may begin a new log. */
  const read = new Map<string, { readonly begun: string; readonly bytes: number }>()

  function readNew(file: string, keep: (results: readonly NotedResult[]) => void): void {
    const known = read.get(file)
    const part = readLog(file, known)
    if (part === undefined) return
    keep(
      notesIn(linesIn(part.text), Placement).map((note) => {
        const { path, size, sha256: content, at, isCopy, preset, input, read: fingerprint } = note
        return { path, size, content, at, isCopy, from: { path: input, fingerprint, preset } }
      }),
    )
    read.set(file, part)
  }

  return (keep) => {
    for (const name of namesIn(folder)) readNew(join(folder, name), keep)
  }
}

/** Length of the beginning of a log, in bytes. It includes the time when a process began the log. */
const BEGUN_BYTES = 24

/** Reads the complete notes that were added since the last time. @returns undefined if nothing was added, or the file can't be read */
function readLog(
  file: string,
  known?: { readonly begun: string; readonly bytes: number },
): { readonly begun: string; readonly bytes: number; readonly text: string } | undefined {
  try {
    return useRegular(file, (descriptor) => {
      const begun = bytesOf(descriptor, 0, BEGUN_BYTES).toString()
      const from = known?.begun === begun ? known.bytes : 0
      const added = notesFrom(descriptor, from)
      const length = added.lastIndexOf('}\n') + 1
      return length === 0
        ? undefined
        : { begun, bytes: from + length, text: added.toString('utf8', 0, length) }
    })
  } catch {
    return undefined
  }
}

/** Reads up to the blank lines at the end, which are reserved for later notes and may take many MiB. */
function notesFrom(descriptor: number, from: number): Buffer {
  const parts: Buffer[] = []
  for (let at = from; ;) {
    const part = bytesOf(descriptor, at)
    parts.push(part)
    at += part.length
    if (part.length === 0 || part.includes('\n\n')) return Buffer.concat(parts)
  }
}

/** Reads a part of a file. @param from null to continue where the last call ended */
function bytesOf(descriptor: number, from: number | null, length = 2 ** 20): Buffer {
  const buffer = Buffer.alloc(length)
  return buffer.subarray(0, length === 0 ? 0 : readSync(descriptor, buffer, 0, length, from))
}

/**
 * Whether the file at this path is the result itself, not an older or newer file with the same name. True without a check if the log shows
 * that the result was placed, unless its disk can be unplugged.
 *
 * @param mount where the result's disk is mounted; undefined on the root file system
 * @returns undefined if the path can't be accessed now: its share is offline, or its disk has been removed
 */
export function isPlaced(placed: NotedPlacement, mount: string | undefined): boolean | undefined {
  const { path, inode, born, size } = placed
  // If a placed result is missing, someone has moved it, unless it was lost on a disk that can be unplugged.
  const wasPlaced = mount === undefined && placed.wasPlaced === true
  try {
    if (mount !== undefined && isTakenAwaySync(mount)) return undefined
    const found = statSync(path, { bigint: true, throwIfNoEntry: false })
    if (found === undefined || wasPlaced) return wasPlaced
    const mayBe = String(found.ino) === inode && Number(found.size) === size
    const isCertain = born !== '0' && String(found.birthtimeNs) === born
    return mayBe && (isCertain || hasContent(placed))
  } catch {
    return wasPlaced || undefined
  }
}

/** Whether the file has the content of the result. An equal inode doesn't prove that, because file systems reuse inodes. */
function hasContent({ path, sha256 }: Placement): boolean {
  const hash = createHash('sha256')
  const descriptor = openSync(path, 'r')
  try {
    for (let buffer = bytesOf(descriptor, null); buffer.length > 0; buffer = bytesOf(descriptor, null))
      hash.update(buffer)
    return hash.digest('hex') === sha256
  } finally {
    closeSync(descriptor)
  }
}

function namesIn(folder: string): readonly string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** Parses the lines of a log. Skips a truncated line. */
const linesIn = (text: string): readonly unknown[] =>
  text.split('\n').flatMap((line): unknown[] => {
    try {
      return line === '' ? [] : [JSON.parse(line)]
    } catch {
      return []
    }
  })
