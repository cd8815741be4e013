import type { MediaKind } from '../../shared/media-types.ts'
import type { Recipe } from '../processing/processing.ts'
import type { VariationRanges } from '../presets/index.ts'

export type JobInput = {
  /** Absolute and normalised. */
  readonly path: string
  readonly kind: MediaKind
}

/** Everything that is settled when a job is accepted; nothing of it changes afterwards. */
export type JobPlan = {
  readonly type: 'single' | 'batch'
  readonly presetName: string
  /** The recipe of each kind that occurs among the inputs. */
  readonly recipes: ReadonlyMap<MediaKind, Recipe>
  readonly ranges: VariationRanges
  readonly inputs: readonly JobInput[]
  readonly batchCount: number
  readonly outputFolder: string
}

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

export const operationCount = (plan: JobPlan): number => plan.inputs.length * plan.batchCount

/** The operations in order, made one by one because `batchCount` may be large. */
export function* operationsOf(plan: JobPlan): Generator<Operation, void, void> {
  let index = 0
  for (const [inputIndex, input] of plan.inputs.entries()) {
    for (let variation = 1; variation <= plan.batchCount; variation++) {
      yield { index: index++, inputIndex, input, variation }
    }
  }
}

/** `image` or `video` where all inputs are of one kind, else `mixed`. */
export function fileTypeOf(plan: JobPlan): string {
  const kinds = new Set(plan.inputs.map((input) => input.kind))
  return kinds.size > 1 ? 'mixed' : ([...kinds][0] ?? 'mixed')
}
