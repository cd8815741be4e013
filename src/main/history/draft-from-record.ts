import { type Draft, presetsOf } from '../../shared/model/draft.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import { baseName } from '../../shared/paths.ts'

/**
 * Creates a draft for *run again* or *retry failed files*, with the same preset and output. Returns undefined if the inputs are
 * unknown (jobs of other clients) or no failed file can be identified.
 */
export function draftFromRecord(record: RecordDetails, which: 'all' | 'failed'): Draft | undefined {
  if (record.origin === 'other' || record.output === null) return undefined
  const common = {
    rejected: [],
    presets: presetsOf(record.preset),
    presetFolders: true,
    done: 'again',
    output: record.output,
    variations: record.variations,
    grouping: record.grouping,
    editing: null,
  } as const
  if (record.driveInput !== null) {
    // The service reported only the folder, so a retry always includes all of its files.
    return { ...common, source: { kind: 'drive', folderId: record.driveInput } }
  }
  const items = which === 'all' ? record.inputs : failedInputs(record)
  return items.length === 0 ? undefined : { ...common, source: { kind: 'files', items } }
}

/**
 * Returns the inputs without a result, as far as the service identified them. Returns all inputs if the whole job failed, was
 * forgotten, or was canceled without details about individual files.
 */
export function failedInputs(record: RecordDetails): readonly MediaItem[] {
  const { inputs, outcome } = record
  const failed = inputsNamed(
    record.problems.flatMap(({ file }) => inputNames(file, record)),
    inputs,
  )
  if (failed.size > 0) return inputs.filter((item) => failed.has(item))
  if (outcome?.kind === 'failed' || outcome?.kind === 'forgotten') return inputs
  if (outcome?.kind !== 'cancelled') return []
  const done = inputsNamed(
    record.results.map(({ file }) => file),
    inputs,
  )
  return inputs.filter((item) => !done.has(item))
}

/**
 * Returns the names of the inputs that a problem may refer to. A failed upload is reported with the name of the output, so the
 * input of that output is included.
 */
function inputNames(file: string, { results }: RecordDetails): readonly string[] {
  if (file === '') return []
  const madeFrom = results.filter(({ outputPath }) => baseName(outputPath) === baseName(file))
  return [file, ...madeFrom.map((result) => result.file).filter((name) => name !== '')]
}

/**
 * Matches by full path if the service reports one, otherwise by name, because the service stores an uploaded file in its own
 * folder.
 */
function inputsNamed(names: readonly string[], inputs: readonly MediaItem[]): ReadonlySet<MediaItem> {
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
