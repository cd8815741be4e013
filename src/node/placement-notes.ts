/**
 * The journal that the built-in service writes before it gives results their final names, with one file per process. After a crash,
 * it is the only record of the results that were created.
 */
import { fdatasync, mkdirSync, openSync, readdirSync, rmSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import * as z from 'zod'
import { QualitySchema } from '../shared/quality/read-quality.ts'
import { readRegular } from './open-regular.ts'
import { messageOf } from './errors.ts'
import type { Fingerprint } from './file-fingerprint.ts'
import { isOwnerAlive, OWN_MARK } from './owner-mark.ts'
import { ifPossible } from './if-possible.ts'

export type Placement = z.output<typeof Placement>
/**
 * A finished result that is about to be moved to its final path. If another file takes that path first, the result gets
 * another path.
 */
export const Placement = z.object({
  jobId: z.string(),
  /** Path of the input, as submitted. */
  input: z.string(),
  /** 1-based. */
  variation: z.number(),
  preset: z.string(),
  /** The input's fingerprint when it was read. The input may have been saved again since it was submitted. */
  read: z.object({
    size: z.number(),
    mtime: z.number(),
    changed: z.number(),
    born: z.number(),
    device: z.string(),
    inode: z.string(),
  }) satisfies z.ZodType<Fingerprint>,
  /** Absolute path. */
  path: z.string(),
  /** Inode of the finished file. Moving the file to its final name doesn't change it. */
  inode: z.string(),
  /** When the file was created, in ns since 1970; 0 if the file system doesn't know. Another file may get the same inode later. */
  born: z.string(),
  /** In bytes. */
  size: z.number(),
  /** Hex. */
  sha256: z.string(),
  /** Whether it is a copy of the input, because a new file wouldn't have been smaller. */
  isCopy: z.boolean(),
  /** Missing if unknown. It may be the reason not to replace the original. */
  quality: QualitySchema.optional(),
  /** When it was noted, in ms since 1970. */
  at: z.number(),
})

export type Upload = z.output<typeof Upload>
/** A result that has arrived in a cloud drive. `path` is its name there. */
export const Upload = Placement.pick({ jobId: true, input: true, variation: true, path: true })

export type Placing = Pick<
  Placement,
  'path' | 'inode' | 'born' | 'size' | 'sha256' | 'isCopy' | 'quality' | 'read'
>

export type PlacementNotes = ReturnType<typeof openPlacementNotes>

export type ExpectedResults = {
  readonly preset: string
  /** Paths as submitted; empty if they aren't known yet. */
  readonly inputs: readonly string[]
  readonly variations: number
  /** Absolute path. undefined for a drive. */
  readonly folder: string | undefined
}

const flushData = promisify(fdatasync)

/** Size of the notes of a result without their three paths and the preset, in bytes. */
const NOTE_BYTES = 660
/** The longest file name on most file systems, in bytes. */
const NAME_BYTES = 255

const MOST_RESERVED_BYTES = 8 * 1024 * 1024

/**
 * Opens the journal of this process. The journal survives a crash. Even a power failure doesn't lose the notes about results that have
 * their final names.
 * @param folder created if missing
 */
export function openPlacementNotes(folder: string, log: (message: string) => void) {
  let file: number | undefined
  let written = 0
  let reserved = 0
  let flushing: Promise<void> | undefined
  let next: Promise<void> | undefined

  /** Resolves when all notes are on disk. Notes that are written during a flush share the next flush. */
  function flushed(): Promise<void> {
    if (flushing !== undefined) return (next ??= flushing.then(flushed))
    next = undefined
    flushing = flush().finally(() => (flushing = undefined))
    return flushing
  }

  async function flush(): Promise<void> {
    try {
      if (file !== undefined) await flushData(file)
    } catch (error) {
      log(`couldn't flush the notes of results: ${messageOf(error)}`)
    }
  }

  function write(text: string, at: number): number {
    try {
      return file === undefined ? 0 : writeSync(file, text, at)
    } catch (error) {
      log(`couldn't note a result: ${messageOf(error)}`)
      return 0
    }
  }

  /** Writes a note. If that fails, the result is moved anyway. At worst, the result is created again after a crash. */
  function note(line: object): void {
    written += write(`${JSON.stringify(line)}\n`, written)
  }

  /** Fills the end of the file with blank lines, so that later notes still fit when the disk is full. */
  function reserve(bytes: number): void {
    const from = Math.max(reserved, written)
    reserved = from + write('\n'.repeat(Math.min(bytes, MOST_RESERVED_BYTES)), from)
  }

  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    file = openSync(join(folder, OWN_MARK), 'w', 0o600)
    removeEmpty(folder)
  } catch (error) {
    log(`couldn't open the notes of results: ${messageOf(error)}`)
  }
  note({ begun: Date.now() })
  return {
    /** Notes that the job may create results, and reserves disk space for a note about each result. */
    jobAdded(jobId: string, expected: ExpectedResults): void {
      const { preset, folder } = expected
      note({ job: jobId, preset, ...(folder === undefined ? {} : { folder }) })
      reserve(bytesOfNotes(expected))
    },
    /** Resolves when the note is on disk, or couldn't be written. Never rejects. */
    placing(placement: Omit<Placement, 'at'>): Promise<void> {
      note({ ...placement, at: Date.now() })
      return flushed()
    },
    /** Notes that the result has its final path. If it isn't there later, someone has moved or deleted it. */
    placed: (result: Pick<Placement, 'jobId' | 'path'>): void =>
      note({ placed: { ...result, at: Date.now() } }),
    uploaded: (upload: Upload): void => note({ uploaded: upload }),
    /** Notes that the process shuts down cleanly, so that none of its jobs is suspected of causing a crash. */
    ended: (): void => note({ ended: Date.now() }),
  }
}

function bytesOfNotes({ preset, inputs, variations, folder }: ExpectedResults): number {
  if (folder === undefined) return 0
  const fixedBytes = (Buffer.byteLength(folder) + NAME_BYTES) * 2 + Buffer.byteLength(preset) + NOTE_BYTES
  // The input's path counts three times, because the result's subfolder may repeat it.
  const bytesOf = (path: string) => Buffer.byteLength(path) * 3 + fixedBytes
  return inputs.reduce((sum, path) => sum + bytesOf(path) * variations, 0)
}

/** Removes the journals of ended processes that didn't run a job. Keeps other journals until the app or a command has read them. */
function removeEmpty(folder: string): void {
  for (const name of readdirSync(folder)) {
    const file = join(folder, name)
    if (!isOwnerAlive(name) && !hasJobs(file)) rmSync(file, { force: true })
  }
}

/** Whether a journal contains jobs. Returns true if it can't be read. */
const hasJobs = (file: string): boolean => ifPossible(() => readRegular(file))?.includes('{"job":') !== false
