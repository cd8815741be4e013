import type { MediaKind } from '../../shared/media-types.ts'
import type { DriveFolder } from '../drive/index.ts'
import type { Recipe } from '../../media/protocol.ts'
import type { Subfolders } from './subfolders.ts'
import type { ResultRules, VariationRanges } from '../../shared/preset/preset.ts'

export type JobInput = {
  /** Absolute and normalised; of a file in a drive, its name in its folder. */
  readonly path: string
  readonly kind: MediaKind
}

export type JobSource =
  | { readonly kind: 'files'; readonly inputs: readonly JobInput[] }
  /** What lies in it is found when the job starts. */
  | { readonly kind: 'drive'; readonly folder: DriveFolder }

export type JobTarget =
  | { readonly kind: 'folder'; readonly path: string }
  | { readonly kind: 'drive'; readonly folder: DriveFolder }

/** Everything that is settled when a job is accepted; nothing of it changes afterwards. */
export type JobPlan = {
  readonly type: 'single' | 'batch'
  readonly presetName: string
  /** A recipe for each kind that the preset knows; of local inputs, no other kind occurs. */
  readonly recipes: ReadonlyMap<MediaKind, Recipe>
  readonly ranges: VariationRanges
  readonly rules: ResultRules
  readonly subfolders: Subfolders
  readonly source: JobSource
  readonly batchCount: number
  readonly target: JobTarget
}

/** What a job can make at all: more results than this could neither be worked off in days nor be told of in one answer. */
export const MAX_OPERATIONS = 100_000
/** Written out: what formats numbers takes 14 ms of the service's start to load. */
export const TOO_MANY_OPERATIONS = 'a job makes at most 100,000 files'

/** One file to make: one variation of one input. */
export type Operation = {
  /** Place in the order of the job, from 0. */
  readonly index: number
  /** Place of its input, from 0. */
  readonly inputIndex: number
  readonly input: JobInput
  /** 1-based. */
  readonly variation: number
}

/** The operations in order, made one by one because `batchCount` may be large. */
export function* operationsOf(
  inputs: readonly JobInput[],
  batchCount: number,
): Generator<Operation, void, void> {
  let index = 0
  for (const [inputIndex, input] of inputs.entries()) {
    for (let variation = 1; variation <= batchCount; variation++) {
      yield { index: index++, inputIndex, input, variation }
    }
  }
}

/** `image` or `video` where all inputs are of one kind, else `mixed`. */
export function fileTypeOf(inputs: readonly JobInput[]): string {
  const kinds = new Set(inputs.map((input) => input.kind))
  return kinds.size > 1 ? 'mixed' : ([...kinds][0] ?? 'mixed')
}
