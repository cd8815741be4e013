import { basename, dirname, join } from 'node:path'
import type { FileError } from '../../shared/api/resources.ts'
import type { Draft } from '../../shared/model/draft.ts'
import { draftOfParts } from '../../shared/model/draft-parts.ts'
import type { FailureCode } from '../../shared/failure/failure.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import { baseName } from '../../shared/paths.ts'

/**
 * Creates a draft for *run again* or *retry failed files*, with the same presets and output. Returns undefined if the inputs are
 * unknown (jobs of other clients) or no failed file can be identified.
 * @param records parts of a job in order
 */
export function draftFromRecords(
  records: readonly PartDetails[],
  which: 'all' | 'failed',
): Draft | undefined {
  const [first] = records
  if (first === undefined || first.origin === 'other' || first.output === null) return undefined
  const { driveInput, variations, grouping } = first
  const parts = records
    .map((record) => ({ ...record, items: which === 'all' ? record.inputs : failedInputs(record) }))
    // The files of a Drive folder are unknown, so a retry always includes the whole folder.
    .filter(({ items }) => driveInput !== null || items.length > 0)
  if (parts.length === 0) return undefined
  const { presets, ...files } = draftOfParts(parts)
  const output = outputFor(presets, parts[0] ?? first)
  return {
    ...files,
    ...(driveInput === null ? {} : { source: { kind: 'drive', folderId: driveInput } }),
    rejected: [],
    presets,
    presetFolders: first.chosen?.presetFolders ?? true,
    // An earlier retry may have replaced some of these originals, which must not be processed twice.
    done: which === 'failed' && output.kind === 'replace' ? 'skip' : 'again',
    output,
    variations,
    grouping,
    editing: null,
  }
}

/**
 * Returns the output of the new draft. If only one of a job's presets is repeated, the draft doesn't add a subfolder for it. The output is
 * then the folder with the preset's results.
 */
function outputFor(
  presets: readonly string[],
  { chosen, output, place, firstPath }: PartDetails,
): Draft['output'] {
  const actual = output ?? { kind: 'folder', path: '' }
  if (chosen === null) return actual
  const isOneOfSeveral = presets.length === 1 && place.presets > 1
  if (!isOneOfSeveral) return chosen.output
  if (chosen.output.kind !== 'beside') return actual
  const { subfolder } = chosen.output
  if (actual.kind !== 'folder' || firstPath === null) return chosen.output
  const isIn = dirname(actual.path) === join(dirname(firstPath), subfolder ?? '')
  return isIn ? { kind: 'beside', subfolder, presetFolder: basename(actual.path) } : chosen.output
}

/**
 * Returns the inputs without a result, as far as the service identified them. Returns all inputs if the whole job failed, was
 * forgotten, or was canceled without details about individual files.
 */
export function failedInputs(record: PartDetails): readonly MediaItem[] {
  const { inputs, outcome } = record
  const failed = problemsByInput(record)
  if (outcome?.kind === 'cancelled') {
    const done = doneInputs(record)
    return inputs.filter((item) => {
      const problem = failed.get(item)
      return problem === undefined ? !done.has(item) : !SUBMITTED_AGAIN.has(problem.failure?.code)
    })
  }
  if (failed.size > 0) return inputs.filter((item) => failed.has(item))
  return outcome?.kind === 'failed' || outcome?.kind === 'forgotten' ? inputs : []
}

/** Failures that mean that the file was submitted again in another job. */
const SUBMITTED_AGAIN: ReadonlySet<FailureCode | undefined> = new Set(['processedElsewhere', 'outputChanged'])

/** Returns the last problem that the service reported for each input that it identified. */
export const problemsByInput = (record: PartDetails): ReadonlyMap<MediaItem, FileError> =>
  new Map(
    record.problems.flatMap((problem) =>
      [...inputsNamed(inputNames(problem.file, record), record.inputs)].map(
        (item) => [item, problem] as const,
      ),
    ),
  )

/** Returns the path of the input that a problem is about. If no input or several inputs match, returns the service's name for the file. */
export function pathOfProblem({ file }: FileError, record: PartDetails): string {
  const [item, ...others] = inputsNamed(inputNames(file, record), record.inputs)
  return item === undefined || others.length > 0 ? file : item.path
}

/** Returns the inputs that certainly have all their results. */
function doneInputs({ inputs, results, variations, chosen, replaced }: PartDetails): ReadonlySet<MediaItem> {
  // After a cancel, the originals stay, and the results that were ready are removed.
  if (chosen?.output.kind === 'replace' && replaced === null) return new Set()
  const ofName = Map.groupBy(results, ({ file }) => file.normalize('NFC'))
  return new Set(
    [...ofName].flatMap(([name, made]) => {
      const named = [...inputsNamed([name], inputs)]
      // Several inputs may have the same name. If some of them lack results, it is unknown which.
      return made.length >= named.length * variations ? named : []
    }),
  )
}

/**
 * Returns the names of the inputs that a problem may refer to. A failed upload is reported with the name of the output, so the
 * input of that output is included.
 */
function inputNames(file: string, { results }: PartDetails): readonly string[] {
  if (file === '') return []
  const madeFrom = results.filter(({ outputPath }) => baseName(outputPath) === baseName(file))
  return [file, ...madeFrom.map((result) => result.file).filter((name) => name !== '')]
}

/**
 * Returns the inputs with these names. Compares full paths if the service reports them, otherwise names, because the service stores an
 * uploaded file in its own folder.
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
