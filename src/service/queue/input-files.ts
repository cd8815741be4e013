/** Provides the input of an operation as a local file, whether it is local or in the drive. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { extensionOf } from '../../shared/media-types.ts'
import { safeFileName } from '../../node/file-name.ts'
import type { ProcessingProgress } from '../../media/protocol.ts'
import { unlessAborted } from '../../node/unless-aborted.ts'
import { DriveFailure, type DriveFolder, type TransferControl } from '../drive/index.ts'
import { type DiskSpace, isOfDisk, type Need, type Room } from './free-space.ts'
import { type JobInput, type Operation, processingOrder } from './job-plan.ts'
import { checkLocalInput } from './local-inputs.ts'

export type LocalInput = Pick<JobInput, 'path' | 'identity'>

export type InputFiles = ReturnType<typeof fetchedFiles>

export const localFiles: InputFiles = {
  take: ({ input }) => Promise.resolve(input),
  fetchNext: () => undefined,
  begun: () => undefined,
  release: () => Promise.resolve(),
  settled: () => Promise.resolve(),
  areFetched: false,
}

/** Number of consecutive connection failures after which the remaining files are skipped. */
const UNREACHABLE_IN_A_ROW = 3

/** How the operation that needs a file observes and stops its download. */
export type FetchControl = {
  readonly signal: AbortSignal
  /** The operation's space. After the download, it keeps what the result needs. */
  readonly room: Room
  /** Missing if the file is prefetched: no operation needs it yet. */
  readonly report?: (progress: ProcessingProgress) => void
}

/**
 * Downloads each file for its first variation and removes it after its last one. Only files in use and prefetched files take up space.
 * While one file is processed, the next file or the next batch of small files is downloaded.
 */
export function fetchedFiles(options: FetchOptions & { readonly batchCount: number }) {
  const { folder, inputs, sizes, batchCount, workFolder, space } = options
  const order = processingOrder(inputs)
  const together = filesTogether(options, order)
  const videos = createVideoLimit()
  const held = new Map<number, { readonly file: Promise<LocalInput>; left: number }>()
  let unreachable = 0
  let lastFailure: DriveFailure | undefined

  const folderOf = (inputIndex: number) => join(workFolder, String(inputIndex))

  async function fetch(inputIndex: number, control: FetchControl): Promise<LocalInput> {
    if (lastFailure && unreachable >= UNREACHABLE_IN_A_ROW) throw notFetched(lastFailure)
    const into = folderOf(inputIndex)
    await mkdir(into, { mode: 0o700 })
    const path = (await takeArrived(inputIndex, into)) ?? (await fetchAlone(inputIndex, into, control))
    const checked = await checkLocalInput(path)
    if ('problem' in checked) throw new FailureError(checked.problem)
    return { path, identity: checked.input.identity }
  }

  async function takeArrived(inputIndex: number, into: string): Promise<string | undefined> {
    const arrived = await together.arrival(inputIndex)
    if (arrived === undefined) return undefined
    const path = join(into, `input.${extensionOf(inputs[inputIndex]?.path ?? '')}`)
    await rename(arrived, path)
    unreachable = 0
    return path
  }

  async function fetchAlone(inputIndex: number, into: string, control: FetchControl): Promise<string> {
    const { signal, room, report } = control
    const onWait = report && (() => report({ phase: 'Waiting for disk space', share: 0 }))
    const onProgress = (share: number) => report?.({ phase: 'Fetching', share })
    try {
      if (inputs[inputIndex]?.kind === 'video') await videos.mayFetch(inputIndex, control)
      await room.reserve(needsOf(sizes[inputIndex] ?? -1, options), signal, onWait)
      onProgress(0)
      const path = await space.keepReserve(into, signal, (stop) =>
        transfer(inputs[inputIndex]?.path ?? '', into, { signal: stop, onProgress }),
      )
      room.written(workFolder)
      return path
    } catch (error) {
      // Otherwise, the partial file would take up space until it is this file's turn.
      await rm(into, { recursive: true, force: true }).catch(() => undefined)
      throw error
    }
  }

  async function transfer(name: string, into: string, control: TransferControl): Promise<string> {
    try {
      const path = await folder.fetch(name, into, control)
      unreachable = 0
      return path
    } catch (error) {
      if (!(error instanceof DriveFailure)) throw error
      unreachable = error.kind === 'network' ? unreachable + 1 : 0
      lastFailure = error
      throw notFetched(error)
    }
  }

  /** Downloads the input of a turn unless that has already begun. */
  function hold(inputIndex: number, turn: number, control: FetchControl): Promise<LocalInput> {
    const known = held.get(inputIndex)
    if (known) return known.file
    if (unreachable === 0) together.start(turn, control.signal)
    const file = fetch(inputIndex, control)
    held.set(inputIndex, { file, left: batchCount })
    return file
  }

  /** Prefetches the input of a turn, if the disk has space for it. Other errors are reported when the input is needed. */
  async function fetchAhead(turn: number, signal: AbortSignal): Promise<void> {
    const inputIndex = order[turn]
    if (inputIndex === undefined || signal.aborted || held.has(inputIndex)) return
    using room = space.open()
    await hold(inputIndex, turn, { signal, room }).catch((error: unknown) => {
      if (isOfDisk(error)) held.delete(inputIndex)
    })
  }

  return {
    areFetched: true,
    /**
     * Returns the file's absolute path, and its identity when it was accepted or downloaded.
     * @throws FailureError; `signal.reason` if it was stopped
     */
    async take({ inputIndex, turn }: Operation, control: FetchControl): Promise<LocalInput> {
      if (!inputs[inputIndex]) throw new Error(`There is no input number ${inputIndex}`)
      const first = hold(inputIndex, turn, control)
      return first.catch((error: unknown) => {
        if (held.get(inputIndex)?.file === first) throw error
        // It couldn't be prefetched because of the disk.
        return hold(inputIndex, turn, control)
      })
    },
    /** Prefetches the next file. Call this when the operation has reserved space for its result, which comes first. */
    fetchNext: ({ turn }: Operation, signal: AbortSignal): void => void fetchAhead(turn + 1, signal),
    /** Call this when a worker has begun to process the file. */
    begun({ inputIndex, input }: Operation): void {
      if (input.kind === 'video') videos.begun(inputIndex)
    },
    /** Removes the file after its last variation. Call this when the operation has ended, whether it succeeded or not. */
    async release({ inputIndex }: Operation): Promise<void> {
      const entry = held.get(inputIndex)
      if (!entry || --entry.left > 0) return
      videos.leave(inputIndex)
      await rm(folderOf(inputIndex), { recursive: true, force: true })
    },
    /** Resolves when no download is running. */
    async settled(): Promise<void> {
      await together.settled()
      await Promise.allSettled([...held.values()].map(({ file }) => file))
    },
  }
}

/**
 * Allows one more video to be downloading or waiting for a worker than are being processed. More would share the connection and delay the
 * first one.
 */
function createVideoLimit() {
  /**
   * Videos fetched individually, whose operations are still waiting for a worker. Prefetched videos don't count, because their operations
   * may not have started.
   */
  const ahead = new Set<number>()
  const processed = new Set<number>()
  let change = Promise.withResolvers<void>()

  function changed(): void {
    change.resolve()
    change = Promise.withResolvers()
  }

  return {
    /** Waits until a video may be downloaded. @throws `signal.reason` if it was stopped */
    async mayFetch(inputIndex: number, { signal, report }: FetchControl): Promise<void> {
      while (ahead.size > processed.size) {
        report?.({ phase: 'Starting', share: 0 })
        await unlessAborted(change.promise, signal)
      }
      if (report) ahead.add(inputIndex)
    },
    begun(inputIndex: number): void {
      ahead.delete(inputIndex)
      if (processed.has(inputIndex)) return
      processed.add(inputIndex)
      changed()
    },
    leave(inputIndex: number): void {
      ahead.delete(inputIndex)
      processed.delete(inputIndex)
      changed()
    },
  }
}

/** Returns what a file needs until it is processed: its own space, and as much for its result, whose size isn't known in advance. */
const needsOf = (
  bytes: number,
  { workFolder, outputFolder }: Pick<FetchOptions, 'workFolder' | 'outputFolder'>,
): readonly Need[] => [
  { folder: workFolder, bytes },
  { folder: outputFolder, bytes },
]

const notFetched = (cause: DriveFailure) =>
  new FailureError(failure('notFetched', { reason: cause.reason }), { cause })

type FetchOptions = {
  readonly folder: DriveFolder
  readonly inputs: readonly JobInput[]
  /** Size of each input in bytes; negative if unknown. */
  readonly sizes: readonly number[]
  /** A folder that exists and belongs to this job. */
  readonly workFolder: string
  /** The folder for the results. */
  readonly outputFolder: string
  readonly space: DiskSpace
}

/** Maximum size of a file in a batch, in bytes. Larger files gain nothing from a batch. */
const LARGEST_BYTES = 8 * 1024 * 1024
/** Limits for one batch. */
const MOST_FILES = 200
const MOST_BYTES = 64 * 1024 * 1024
/** Number of files left in the current batch when the next one starts. */
const AHEAD = 60

/**
 * Downloads small files of a drive in batches, because starting rclone and connecting takes longer than transferring them.
 * @param order the inputs in the order in which they are processed
 */
function filesTogether(options: FetchOptions, order: readonly number[]) {
  const { folder, inputs, sizes, workFolder, space } = options
  const arrivals = new Map<number, PromiseWithResolvers<string | undefined>>()
  const runs = new Set<Promise<void>>()
  /** The first turn that no batch has considered. */
  let next = 0

  async function fetchAll(batch: Batch, into: string, signal: AbortSignal): Promise<void> {
    const moving: Promise<void>[] = []
    using room = space.open()
    try {
      await mkdir(into, { mode: 0o700 })
      await room.reserve(needsOf(batch.bytes, options), signal)
      const onArrived = (name: string, path: string): void => {
        const index = batch.files.get(name)
        if (index !== undefined) moving.push(hand(index, path))
      }
      await space.keepReserve(into, signal, (stop) =>
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
     * Starts a batch from this turn, or from the first one that no batch has considered if that is later. Does nothing if batches already
     * reach far enough ahead.
     */
    start(turn: number, signal: AbortSignal): void {
      if (next - turn > AHEAD) return
      const from = Math.max(next, turn)
      const batch = batchFrom(from)
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

  function batchFrom(from: number): Batch {
    const files = new Map<string, number>()
    const alike = new Set<string>()
    let bytes = 0
    let end = from
    for (; end < order.length && files.size < MOST_FILES; end++) {
      const inputIndex = order[end] ?? -1
      const name = inputs[inputIndex]?.path ?? ''
      const size = sizes[inputIndex] ?? -1
      if (size < 0 || size > LARGEST_BYTES || !isPlain(name) || alike.has(name.toLowerCase())) continue
      if (bytes + size > MOST_BYTES) break
      files.set(name, inputIndex)
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
  /** The first turn after the batch. */
  readonly end: number
}

/** Returns whether a drive's name is a safe local name on every system. An unsafe one could lead to another folder or denote a device. */
const isPlain = (name: string): boolean => safeFileName(name) === name
