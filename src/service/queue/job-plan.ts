import type { FileIdentity } from '../../node/file-identity.ts'
import type { MediaKind } from '../../shared/media-types.ts'
import type { DriveFolder } from '../drive/index.ts'
import type { Recipe } from '../../media/protocol.ts'
import type { Subfolders } from './subfolders.ts'
import type { ResultRules, VariationRanges } from '../../shared/preset/preset.ts'

export type JobInput = {
  /** Absolute and normalized; for a drive, the file's name in its folder. */
  readonly path: string
  readonly kind: MediaKind
  /** The user's own file, if the input is an alias of it. */
  readonly original?: string | undefined
  /** Identity of a local file when it was accepted. */
  readonly identity?: FileIdentity | undefined
  /** How long each of its results takes compared with other files (`predictWork`). */
  readonly work: number
}

export type JobSource =
  | { readonly kind: 'files'; readonly inputs: readonly JobInput[] }
  /** A drive folder, whose contents are discovered when the job starts. */
  | { readonly kind: 'drive'; readonly folder: DriveFolder }

export type JobTarget =
  | {
      readonly kind: 'folder'
      readonly path: string
      /** Where the folder's disk is mounted (`mountPointOf`). */
      readonly mount?: string | undefined
    }
  | { readonly kind: 'drive'; readonly folder: DriveFolder }

/** Everything that is decided when a job is accepted. Never changes afterward. */
export type JobPlan = {
  readonly type: 'single' | 'batch'
  readonly presetName: string
  /** A recipe for each kind that the preset supports; local inputs are only of these kinds. */
  readonly recipes: ReadonlyMap<MediaKind, Recipe>
  readonly ranges: VariationRanges
  readonly rules: ResultRules
  readonly subfolders: Subfolders
  readonly source: JobSource
  readonly batchCount: number
  readonly target: JobTarget
}

/** Maximum number of results per job. More would take days and wouldn't fit into one response. */
export const MAX_OPERATIONS = 100_000

/** One file to create: one variation of one input. */
export type Operation = {
  /** Position in the job, from 0. */
  readonly index: number
  /** Position of its input, from 0. */
  readonly inputIndex: number
  /** Position of its input in processing order, from 0. */
  readonly turn: number
  readonly input: JobInput
  /** 1-based. */
  readonly variation: number
}

/**
 * Returns the positions of the inputs in the order in which they are processed. Photos don't wait for videos, which take much longer. The
 * longest video comes last, because a running video can't use the cores that others leave (docs/decisions/order-of-videos.md).
 */
export function processingOrder(inputs: readonly Pick<JobInput, 'kind' | 'work'>[]): readonly number[] {
  const of = (kind: MediaKind) => [...inputs.keys()].filter((index) => inputs[index]?.kind === kind)
  const workOf = (index: number) => inputs[index]?.work ?? 0
  return [...of('image'), ...of('video').toSorted((a, b) => workOf(a) - workOf(b))]
}

/** Yields the operations in processing order. It is a generator, because `batchCount` may be large. */
export function* operationsOf(
  inputs: readonly JobInput[],
  batchCount: number,
): Generator<Operation, void, void> {
  for (const [turn, inputIndex] of processingOrder(inputs).entries()) {
    const input = inputs[inputIndex]
    if (input === undefined) continue
    for (let variation = 1; variation <= batchCount; variation++) {
      yield { index: inputIndex * batchCount + variation - 1, inputIndex, turn, input, variation }
    }
  }
}

/** Returns `image` or `video` if all inputs are of one kind, otherwise `mixed`. */
export function fileTypeOf(inputs: readonly JobInput[]): string {
  const kinds = new Set(inputs.map((input) => input.kind))
  return kinds.size > 1 ? 'mixed' : ([...kinds][0] ?? 'mixed')
}
