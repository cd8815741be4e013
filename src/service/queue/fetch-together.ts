/** Small files of a drive come many at a time: starting rclone and greeting the drive takes longer than they do. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { safeFileName } from '../../node/file-name.ts'
import type { DriveFolder } from '../drive/index.ts'
import { type FreeBytes, requireSpaceFor } from './free-space.ts'
import type { JobInput } from './job-plan.ts'

export type TogetherOptions = {
  readonly folder: DriveFolder
  readonly inputs: readonly JobInput[]
  /** Of each input in bytes; negative where it is not known. */
  readonly sizes: readonly number[]
  /** Exists, and is nobody else's. */
  readonly workFolder: string
  readonly freeBytes: FreeBytes
}

export type FilesTogether = {
  /** Has files brought that begin with this one or come soon after it, unless they are on their way. */
  start(inputIndex: number, signal: AbortSignal): void
  /**
   * @returns where the file lies, which is the caller's from then on; undefined where it has to be fetched alone: because it is
   * no small one, or because it did not come, and fetching it says why
   */
  arrival(inputIndex: number): Promise<string | undefined>
  /** Resolves when nothing is on its way any more. */
  settled(): Promise<void>
}

/** A larger one takes long enough for itself. In bytes. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** Of one run. */
const MOST_FILES = 200
const MOST_BYTES = 64 * 1024 * 1024
/** How many files before the end of a run the next one is started. */
const AHEAD = 60

export function filesTogether(options: TogetherOptions): FilesTogether {
  const { folder, inputs, workFolder, freeBytes } = options
  const arrivals = new Map<number, PromiseWithResolvers<string | undefined>>()
  const runs = new Set<Promise<void>>()
  /** The first input that no run has considered. */
  let next = 0

  async function fetchAll(batch: Batch, into: string, signal: AbortSignal): Promise<void> {
    const moving: Promise<void>[] = []
    try {
      await mkdir(into, { mode: 0o700 })
      await requireSpaceFor(batch.bytes, into, freeBytes)
      await folder.fetchTogether([...batch.files.keys()], into, {
        signal,
        onArrived(name, path) {
          const index = batch.files.get(name)
          if (index !== undefined) moving.push(hand(index, path))
        },
      })
    } catch {
      // Each file that did not come is fetched alone, which says what is wrong.
    }
    await Promise.all(moving)
    for (const index of batch.files.values()) arrivals.get(index)?.resolve(undefined)
    await rm(into, { recursive: true, force: true }).catch(() => undefined)
  }

  /** Out of the way of those that are still coming. */
  async function hand(index: number, path: string): Promise<void> {
    const own = join(workFolder, `arrived-${index}`)
    await rename(path, own).then(
      () => arrivals.get(index)?.resolve(own),
      () => undefined,
    )
  }

  return {
    start(inputIndex, signal) {
      if (next - inputIndex > AHEAD) return
      const from = Math.max(next, inputIndex)
      const batch = batchFrom(from, options)
      next = batch.end
      // One alone comes as quickly without us.
      if (batch.files.size < 2 || signal.aborted) return
      for (const index of batch.files.values()) arrivals.set(index, Promise.withResolvers())
      const run = fetchAll(batch, join(workFolder, `together-${from}`), signal)
      runs.add(run)
      void run.finally(() => runs.delete(run))
    },
    arrival: (inputIndex) => arrivals.get(inputIndex)?.promise ?? Promise.resolve(undefined),
    async settled() {
      await Promise.all(runs)
    },
  }

  function batchFrom(from: number, { sizes }: TogetherOptions): Batch {
    const files = new Map<string, number>()
    const alike = new Set<string>()
    let bytes = 0
    let end = from
    for (; end < inputs.length && files.size < MOST_FILES; end++) {
      const name = inputs[end]?.path ?? ''
      const size = sizes[end] ?? -1
      if (size < 0 || size > LARGEST_BYTES || !isPlain(name) || alike.has(name.toLowerCase())) continue
      if (bytes + size > MOST_BYTES) break
      files.set(name, end)
      alike.add(name.toLowerCase())
      bytes += size
    }
    return { files, bytes, end }
  }
}

type Batch = {
  /** The index of the input with each name. */
  readonly files: ReadonlyMap<string, number>
  readonly bytes: number
  /** The first input after it. */
  readonly end: number
}

/** A name of the drive under which a file may lie here, on every system: any other could lead elsewhere, or mean a device. */
const isPlain = (name: string): boolean => safeFileName(name) === name
