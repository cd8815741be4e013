/** Determines the folder of each result below the job's output folder, for presets that preserve the folder structure. */
import { dirname, parse, relative, sep } from 'node:path'
import { isAtOrBelow, isBelow } from '../../node/contained-path.ts'
import { plainName } from '../../shared/paths.ts'

/** Folder names below the output folder, by input path. Inputs without an entry go into the output folder itself. */
export type Subfolders = ReadonlyMap<string, readonly string[]>

export const FLAT: Subfolders = new Map()

/**
 * Returns the inputs' folders relative to their common folder. Uploads have none, because each one is in a folder of the service.
 * @param uploadFolder absolute
 */
export function subfoldersOf(inputs: readonly Located[], uploadFolder: string): Subfolders {
  const own = inputs.filter(({ path }) => !isBelow(path, uploadFolder, process.platform))
  const common = commonFolder(own.map(folderOf))
  if (common === undefined) return FLAT
  return new Map(
    own.map((input) => [
      input.path,
      relative(common, folderOf(input))
        .split(sep)
        .filter((name) => name !== '')
        .map(plainName),
    ]),
  )
}

/** An input, and the file that it stands for if it is an alias. */
type Located = { readonly path: string; readonly original?: string | undefined }

const folderOf = ({ path, original = path }: Located): string => dirname(original)

/** Returns the common folder; undefined if there is none, for example for inputs on two Windows drives. */
function commonFolder(folders: readonly string[]): string | undefined {
  const [first, ...others] = folders
  if (first === undefined) return undefined
  let common = first
  for (const folder of others) {
    while (!isAtOrBelow(folder, common)) {
      if (common === parse(common).root) return undefined
      common = dirname(common)
    }
  }
  return common
}
