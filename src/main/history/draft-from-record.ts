import type { Draft } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'

/**
 * A new draft for *run again* or *retry failed files*, with the preset and output of before. Undefined where the inputs
 * are not known (jobs of other clients), or where no failed file can be named.
 */
export function draftFromRecord(record: RecordDetails, which: 'all' | 'failed'): Draft | undefined {
  if (record.origin === 'other' || record.output === null) return undefined
  const common = {
    rejected: [],
    preset: record.preset,
    output: record.output,
    variations: record.variations,
    grouping: record.grouping,
    editing: null,
  } as const
  if (record.driveInput !== null) {
    // The service knows a folder, not its files: trying again means the whole of it.
    return { ...common, source: { kind: 'drive', folderId: record.driveInput } }
  }
  const items = which === 'all' ? record.inputs : failedInputs(record)
  return items.length === 0 ? undefined : { ...common, source: { kind: 'files', items } }
}

/**
 * The inputs that gave no result, as far as the service has named them. All of them, where the whole job failed, was
 * forgotten or was cancelled without a word about single files.
 */
export function failedInputs(record: RecordDetails): readonly MediaItem[] {
  const { inputs, outcome } = record
  const failed = meantBy(
    record.problems.flatMap(({ file }) => inputNames(file, record)),
    inputs,
  )
  if (failed.size > 0) return inputs.filter((item) => failed.has(item))
  if (outcome?.kind === 'failed' || outcome?.kind === 'forgotten') return inputs
  if (outcome?.kind !== 'cancelled') return []
  const done = meantBy(
    record.results.map(({ file }) => file),
    inputs,
  )
  return inputs.filter((item) => !done.has(item))
}

/** A failed upload is named by the output: the input is the one that this output was made from. */
function inputNames(file: string, { results }: RecordDetails): readonly string[] {
  if (file === '') return []
  const madeFrom = results.filter(({ outputPath }) => baseName(outputPath) === baseName(file))
  return [file, ...madeFrom.map((result) => result.file).filter((name) => name !== '')]
}

/** By its whole path where the service gives ours, otherwise by its name: an upload lies in a folder of the service's. */
function meantBy(names: readonly string[], inputs: readonly MediaItem[]): ReadonlySet<MediaItem> {
  return new Set(
    names.flatMap((named) => {
      const path = named.normalize('NFC')
      const exactly = inputs.filter((item) => item.path.normalize('NFC') === path)
      return exactly.length > 0
        ? exactly
        : inputs.filter((item) => item.name.normalize('NFC') === baseName(path))
    }),
  )
}
