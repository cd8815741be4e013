/** Provides the input of an operation as a local file, whether it is local or in the drive. */
import { FailureError } from '../../shared/failure/failure-error.ts'
import { failure } from '../../shared/failure/failure.ts'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { extensionOf } from '../../shared/media-types.ts'
import { DriveFailure, type TransferControl } from '../drive/index.ts'
import { filesTogether, type TogetherOptions } from './fetch-together.ts'
import { keepingReserve, requireSpaceFor } from './free-space.ts'
import { type JobInput, type Operation, processingOrder } from './job-plan.ts'
import { checkLocalInput } from './local-inputs.ts'

export type LocalInput = Pick<JobInput, 'path' | 'identity'>

export type InputFiles = ReturnType<typeof fetchedFiles>

export const localFiles: InputFiles = {
  take: ({ input }) => Promise.resolve(input),
  release: () => Promise.resolve(),
  settled: () => Promise.resolve(),
  areFetched: false,
}

/** Number of consecutive connection failures after which the remaining files are skipped. */
const UNREACHABLE_IN_A_ROW = 3

/**
 * Downloads each file for its first variation and removes it after its last one. Only files in use and prefetched files take up space.
 * While one file is processed, the next file or the next batch of small files is downloaded.
 */
export function fetchedFiles(options: TogetherOptions & { readonly batchCount: number }) {
  const { folder, inputs, sizes, batchCount, workFolder, freeBytes } = options
  const together = filesTogether(options)
  const order = processingOrder(inputs)
  const held = new Map<number, { readonly file: Promise<LocalInput>; left: number }>()
  let unreachable = 0
  let lastFailure: DriveFailure | undefined

  const folderOf = (inputIndex: number) => join(workFolder, String(inputIndex))

  async function fetch(inputIndex: number, control: TransferControl): Promise<LocalInput> {
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

  async function fetchAlone(inputIndex: number, into: string, control: TransferControl): Promise<string> {
    await requireSpaceFor(sizes[inputIndex] ?? -1, into, freeBytes)
    try {
      return await keepingReserve({ into, freeBytes, signal: control.signal }, (signal) =>
        transfer(inputs[inputIndex]?.path ?? '', into, { ...control, signal }),
      )
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

  /** Downloads an input unless that has already begun. Returns undefined if the input doesn't exist. */
  function hold(inputIndex: number, control: TransferControl): Promise<LocalInput> | undefined {
    const known = held.get(inputIndex)
    if (known) return known.file
    if (!inputs[inputIndex]) return undefined
    if (unreachable === 0) together.start(inputIndex, control.signal)
    const file = fetch(inputIndex, control)
    held.set(inputIndex, { file, left: batchCount })
    return file
  }

  /** Prefetches an input. Errors are reported when the input is needed. */
  function fetchAhead(inputIndex: number | undefined, { signal }: TransferControl): void {
    if (inputIndex !== undefined && !signal.aborted) hold(inputIndex, { signal })?.catch(() => undefined)
  }

  return {
    areFetched: true,
    /**
     * Returns the file's absolute path, and its identity when it was accepted or downloaded.
     * @throws FailureError; `signal.reason` if it was stopped
     */
    async take({ inputIndex, turn }: Operation, control: TransferControl): Promise<LocalInput> {
      const file = await hold(inputIndex, control)
      if (file === undefined) throw new Error(`There is no input number ${inputIndex}`)
      fetchAhead(order[turn + 1], control)
      return file
    },
    /** Removes the file after its last variation. Call this when the operation has ended, whether it succeeded or not. */
    async release({ inputIndex }: Operation): Promise<void> {
      const entry = held.get(inputIndex)
      if (!entry || --entry.left > 0) return
      await rm(folderOf(inputIndex), { recursive: true, force: true })
    },
    /** Resolves when no download is running. */
    async settled(): Promise<void> {
      await together.settled()
      await Promise.allSettled([...held.values()].map(({ file }) => file))
    },
  }
}

const notFetched = (cause: DriveFailure) =>
  new FailureError(failure('notFetched', { reason: cause.reason }), { cause })
