/** The input of an operation as a file on this computer, wherever it comes from. */
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { extensionOf } from '../../shared/media-types.ts'
import { DriveFailure, type TransferControl } from '../drive/index.ts'
import { ProcessingError } from '../../media/protocol.ts'
import { filesTogether, type TogetherOptions } from './fetch-together.ts'
import { requireSpaceFor } from './free-space.ts'
import type { Operation } from './job-plan.ts'
import { checkLocalInput } from './local-inputs.ts'

export type InputFiles = {
  /** @returns an absolute path @throws ProcessingError; `signal.reason` when it was stopped */
  take(operation: Operation, control: TransferControl): Promise<string>
  /** The operation is over, in whichever way. */
  release(operation: Operation): Promise<void>
  /** Resolves when nothing is being fetched any more. */
  settled(): Promise<void>
  readonly areFetched: boolean
}

export const localFiles: InputFiles = {
  take: ({ input }) => Promise.resolve(input.path),
  release: () => Promise.resolve(),
  settled: () => Promise.resolve(),
  areFetched: false,
}

export type FetchOptions = TogetherOptions & { readonly batchCount: number }

/** After so many in a row that found nobody there, the others are not tried any more. */
const UNREACHABLE_IN_A_ROW = 3

/**
 * Each file is fetched for its first variation and removed after its last, so that only those in work take space, and those on
 * their way: while a file is processed, the next one is, or the next of many small ones.
 */
export function fetchedFiles(options: FetchOptions): InputFiles {
  const { folder, inputs, sizes, batchCount, workFolder, freeBytes } = options
  const together = filesTogether(options)
  const held = new Map<number, { readonly file: Promise<string>; left: number }>()
  let unreachable = 0
  let lastFailure: DriveFailure | undefined

  const folderOf = (inputIndex: number) => join(workFolder, String(inputIndex))

  async function fetch(inputIndex: number, control: TransferControl): Promise<string> {
    if (lastFailure && unreachable >= UNREACHABLE_IN_A_ROW) throw notFetched(lastFailure)
    const into = folderOf(inputIndex)
    await mkdir(into, { mode: 0o700 })
    const path = (await takeArrived(inputIndex, into)) ?? (await fetchAlone(inputIndex, into, control))
    const checked = await checkLocalInput(path)
    if ('problem' in checked) throw new ProcessingError(checked.problem)
    return path
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
    return transfer(inputs[inputIndex]?.path ?? '', into, control)
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

  /** @returns undefined where there is no such input */
  function hold(inputIndex: number, control: TransferControl): Promise<string> | undefined {
    const known = held.get(inputIndex)
    if (known) return known.file
    if (!inputs[inputIndex]) return undefined
    if (unreachable === 0) together.start(inputIndex, control.signal)
    const file = fetch(inputIndex, control)
    held.set(inputIndex, { file, left: batchCount })
    return file
  }

  /** What goes wrong shows when it is that file's turn. */
  function fetchAhead(inputIndex: number, { signal }: TransferControl): void {
    if (!signal.aborted) hold(inputIndex, { signal })?.catch(() => undefined)
  }

  return {
    areFetched: true,
    async take({ inputIndex }, control) {
      const path = await hold(inputIndex, control)
      if (path === undefined) throw new Error(`There is no input number ${inputIndex}`)
      fetchAhead(inputIndex + 1, control)
      return path
    },
    async release({ inputIndex }) {
      const entry = held.get(inputIndex)
      if (!entry || --entry.left > 0) return
      await rm(folderOf(inputIndex), { recursive: true, force: true })
    },
    async settled() {
      await together.settled()
      await Promise.allSettled([...held.values()].map(({ file }) => file))
    },
  }
}

const notFetched = (failure: DriveFailure) =>
  new ProcessingError(`The file could not be fetched. ${failure.message}`, { cause: failure })
