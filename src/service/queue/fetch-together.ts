/** Downloads small files of a drive in batches, because starting rclone and connecting takes longer than transferring them. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { safeFileName } from '../../node/file-name.ts'
import type { DriveFolder } from '../drive/index.ts'
import type { FreeBytes } from '../../node/free-space.ts'
import { keepingReserve, requireSpaceFor } from './free-space.ts'
import type { JobInput } from './job-plan.ts'

export type TogetherOptions = {
  readonly folder: DriveFolder
  readonly inputs: readonly JobInput[]
  /** Size of each input in bytes; negative if unknown. */
  readonly sizes: readonly number[]
  /** A folder that exists and belongs to this job. */
  readonly workFolder: string
  readonly freeBytes: FreeBytes
}

/** Maximum size of a file in a batch, in bytes. Larger files gain nothing from a batch. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** Limits for one batch. */
const MOST_FILES = 200
const MOST_BYTES = 64 * 1024 * 1024
/** Number of files left in the current batch when the next one starts. */
const AHEAD = 60

export function filesTogether(options: TogetherOptions) {
  const { folder, inputs, workFolder, freeBytes } = options
  const arrivals = new Map<number, PromiseWithResolvers<string | undefined>>()
  const runs = new Set<Promise<void>>()
  /** The first input that no batch has considered. */
  let next = 0

  async function fetchAll(batch: Batch, into: string, signal: AbortSignal): Promise<void> {
    const moving: Promise<void>[] = []
    try {
      await mkdir(into, { mode: 0o700 })
      await requireSpaceFor(batch.bytes, into, freeBytes)
      const onArrived = (name: string, path: string): void => {
        const index = batch.files.get(name)
        if (index !== undefined) moving.push(hand(index, path))
      }
      await keepingReserve({ into, freeBytes, signal }, (stop) =>
        folder.fetchTogether([...batch.files.keys()], into, { signal: stop, onArrived }),
      )
    } catch {
      // Missing files are downloaded individually, which shows the reason.
    }
    await Promise.all(moving)
    for (const index of batch.files.values()) arrivals.get(index)?.resolve(undefined)
    await rm(into, { recursive: true, force: true }).catch(() => undefined)
  }

  /** Moves the file out of the folder into which the rest of the batch is still being downloaded. */
  async function hand(index: number, path: string): Promise<void> {
    const own = join(workFolder, `arrived-${index}`)
    await rename(path, own).then(
      () => arrivals.get(index)?.resolve(own),
      () => undefined,
    )
  }

  return {
    /**
     * Starts a batch from this input, or from the first one that no batch has considered if that is later. Does nothing if batches already
     * reach far enough ahead.
     */
    start(inputIndex: number, signal: AbortSignal): void {
      if (next - inputIndex > AHEAD) return
      const from = Math.max(next, inputIndex)
      const batch = batchFrom(from, options)
      next = batch.end
      // A single file is just as fast without a batch.
      if (batch.files.size < 2 || signal.aborted) return
      for (const index of batch.files.values()) arrivals.set(index, Promise.withResolvers())
      const run = fetchAll(batch, join(workFolder, `together-${from}`), signal)
      runs.add(run)
      void run.finally(() => runs.delete(run))
    },
    /**
     * Waits for an input.
     * @returns the path of the file, which the caller then owns; undefined if the file isn't small or its batch failed. The caller
     * then downloads the file individually, which also shows the reason for the failure
     */
    arrival: (inputIndex: number): Promise<string | undefined> =>
      arrivals.get(inputIndex)?.promise ?? Promise.resolve(undefined),
    /** Resolves when no download is running. */
    async settled(): Promise<void> {
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
  /** The index of the input by name. */
  readonly files: ReadonlyMap<string, number>
  readonly bytes: number
  /** The first input after the batch. */
  readonly end: number
}

/** Returns whether a drive's name is a safe local name on every system. An unsafe one could lead to another folder or denote a device. */
const isPlain = (name: string): boolean => safeFileName(name) === name
