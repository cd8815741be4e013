import type { FileError } from '../../shared/api/resources.ts'
import { extensionOf, mediaKindOf } from '../../shared/media-types.ts'
import type { DriveEntry } from '../../node/rclone/index.ts'
import type { JobInput, JobPlan } from './job-plan.ts'
import { unsupported } from './local-inputs.ts'

export type Discovery = {
  readonly inputs: readonly JobInput[]
  /** Of each input in bytes; negative where the drive doesn't know. */
  readonly sizes: readonly number[]
  readonly errors: readonly FileError[]
}

/**
 * Section 4, `POST /jobs`: the inputs of a drive folder are discovered after acceptance. Only what lies directly in it
 * counts, in the order of the names; what can't be an input is named with the reason.
 */
export function discoverInputs(
  entries: readonly DriveEntry[],
  { recipes, presetName }: Pick<JobPlan, 'recipes' | 'presetName'>,
): Discovery {
  const inputs: JobInput[] = []
  const sizes: number[] = []
  const errors: FileError[] = []
  const names = new Set<string>()
  const files = entries.filter((entry) => !entry.isFolder)
  for (const { name, size } of files.toSorted((a, b) => inOrder(a.name, b.name))) {
    const kind = mediaKindOf(name)
    const problem = () => {
      if (names.has(name))
        return 'The folder has several files of this name, and only one can be told from the rest'
      if (kind === undefined) return unsupported(extensionOf(name))
      if (!recipes.has(kind)) return `The preset "${presetName}" is not for ${kind} files`
      return size === 0 ? 'The file is empty' : undefined
    }
    const error = problem()
    if (error !== undefined) errors.push({ file: name, error })
    else if (kind !== undefined) {
      inputs.push({ path: name, kind })
      sizes.push(size)
    }
    names.add(name)
  }
  return { inputs, sizes, errors }
}

/** By code units: the same order on every computer. */
const inOrder = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0)
