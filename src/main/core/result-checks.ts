/** Finds out whether results may replace their originals. */
import { join } from 'node:path'
import type { ResultCheck } from '../../media/protocol.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { createPresetFiles, oneOffPresets } from '../presets/presets.ts'
import { createResultChecker } from '../vault/index.ts'
import type { JobWorker } from '../../media/start-worker.ts'
import type { ReplacingDeps } from './replace-originals.ts'

export function resultChecks({
  dataDir,
  startChecker,
}: {
  readonly dataDir: string
  readonly startChecker?: (() => JobWorker) | undefined
}): Pick<ReplacingDeps, 'isGood' | 'presetOf' | 'endChecks'> {
  const checker = startChecker && createResultChecker(startChecker)
  return {
    isGood: async (check: ResultCheck) => (await checker?.isGood(check)) === true,
    presetOf: (record) => builtInPreset(dataDir, record),
    endChecks: () => checker?.close(),
  }
}

/** Returns the document of the record's preset if the built-in service processed it. */
async function builtInPreset(
  dataDir: string,
  { facts, preset: name }: RecordDetails,
): Promise<Preset | undefined> {
  if (facts.service !== 'builtIn' || name === null) return undefined
  const folder = join(dataDir, 'service', 'presets')
  const { documents } = await createPresetFiles(folder).list()
  const listed = documents.find((document) => document.name === name)?.preset
  return listed ?? (await oneOffPresets(folder)).find((preset) => preset.name === name)
}
