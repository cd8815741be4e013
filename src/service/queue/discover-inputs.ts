import { failure } from '../../shared/failure/failure.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { fileError } from '../../shared/api/reported.ts'
import { extensionOf, mediaKindOf } from '../../shared/media-types.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import type { JobInput, JobPlan } from './job-plan.ts'
import { presetIsNotFor } from './run-operations.ts'
import { unsupported } from './local-inputs.ts'
import { predictWork } from '../processing/processing.ts'

/** Header facts of a file in a drive: unknown, because the header isn't read until the file is fetched. */
const NO_FACTS = { width: null, height: null, duration: null, format: undefined }

/**
 * Discovers the inputs in a drive folder after the job is accepted (section 4, `POST /jobs`). Only direct contents count, sorted by name.
 * Files that can't be inputs are listed with the reason.
 */
export function discoverInputs(
  entries: readonly DriveEntry[],
  { recipes, presetName }: Pick<JobPlan, 'recipes' | 'presetName'>,
) {
  const inputs: JobInput[] = []
  /** Size of each input in bytes; negative if the drive doesn't report it. */
  const sizes: number[] = []
  const errors: FileError[] = []
  const names = new Set<string>()
  const files = entries.filter((entry) => !entry.isFolder)
  for (const { name, size } of files.toSorted((a, b) => inOrder(a.name, b.name))) {
    const kind = mediaKindOf(name)
    const recipe = kind && recipes.get(kind)
    const problem = () => {
      if (names.has(name)) return failure('nameNotUnique')
      if (kind === undefined) return unsupported(extensionOf(name))
      if (recipe === undefined) return presetIsNotFor(kind, presetName)
      return size === 0 ? failure('fileEmpty') : undefined
    }
    const failed = problem()
    if (failed !== undefined) errors.push(fileError(name, failed))
    else if (kind !== undefined && recipe !== undefined) {
      inputs.push({ path: name, kind, work: predictWork({ ...NO_FACTS, bytes: size }, recipe) })
      sizes.push(size)
    }
    names.add(name)
  }
  return { inputs, sizes, errors }
}

/** Compares code units, which gives the same order on every computer. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
