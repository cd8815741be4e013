/** In which folder below its job's output folder each result goes, for presets that keep the folders of the inputs. */
import { dirname, isAbsolute, parse, relative, sep } from 'node:path'
import { isBelow } from '../../node/contained-path.ts'

/** Names of folders, from the output folder on, by the path of the input. What is not in it goes into the output folder itself. */
export type Subfolders = ReadonlyMap<string, readonly string[]>

export const FLAT: Subfolders = new Map()

/**
 * As they lie below the folder that all inputs have in common. Uploads have none: each lies in a folder that is the service's.
 *
 * @param uploadFolder absolute
 */
export function subfoldersOf(inputs: readonly { readonly path: string }[], uploadFolder: string): Subfolders {
  const own = inputs.filter(({ path }) => !isBelow(path, uploadFolder, process.platform))
  const common = commonFolder(own.map(({ path }) => dirname(path)))
  if (common === undefined) return FLAT
  return new Map(
    own.map(({ path }) => [
      path,
      relative(common, dirname(path))
        .split(sep)
        .filter((name) => name !== ''),
    ]),
  )
}

/** undefined where there is none, as on two disks of Windows. */
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

function isAtOrBelow(folder: string, above: string): boolean {
  const way = relative(above, folder)
  return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way)
}
