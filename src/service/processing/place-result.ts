/** How a finished file gets to where it belongs, under its name and with its dates. */
import { lstat, mkdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { type FinishedFile, ProcessingError } from '../../media/protocol.ts'
import { hasCode } from '../../node/errors.ts'
import { publishUnderFreeName } from '../../node/publish-file.ts'
import type { ResultRules } from '../../shared/preset/preset.ts'
import { type NamedResult, outputName } from './output-name.ts'
import { keepDates } from './result-dates.ts'

export type PlacedResult = NamedResult & {
  /** Absolute. Only ever read. */
  readonly inputPath: string
  /** Absolute, exists. The result appears here or below under its last name only when it is whole. */
  readonly outputFolder: string
  /** The names of the folders below `outputFolder` that lead to where the result goes. */
  readonly subfolder: readonly string[]
  readonly rules: ResultRules
}

/** @returns the absolute path that the file has got */
export async function placeResult(result: PlacedResult, file: FinishedFile): Promise<string> {
  const { rules, inputPath, outputFolder, subfolder } = result
  if (rules.dates === 'keep') await keepDates(inputPath, file.temporaryPath)
  const { mtimeMs: date } = await stat(file.temporaryPath)
  const folder = await openSubfolder(outputFolder, subfolder)
  const nameOf = outputName(rules.name, result, { ...file, date })
  return publishUnderFreeName(file.temporaryPath, (attempt) => path.join(folder, nameOf(attempt)))
}

/**
 * Makes what is missing of it. What is there already has to be a folder, and no link: that could lead anywhere, and results go
 * nowhere else than below the folder that a person has named.
 */
async function openSubfolder(outputFolder: string, subfolder: readonly string[]): Promise<string> {
  let folder = outputFolder
  for (const name of subfolder) {
    folder = path.join(folder, name)
    await mkdir(folder).catch((error: unknown) => {
      if (!hasCode(error, 'EEXIST')) throw error
    })
    const found = await lstat(folder)
    if (!found.isDirectory())
      throw new ProcessingError(`The result belongs into ${folder}, and that is no folder of its own.`)
  }
  return folder
}
