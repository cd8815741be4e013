import { readFileSync, writeFileSync } from 'node:fs'
import { join, parse } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { Vault } from '../../../src/main/vault/index.ts'
import type { RecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome, PartTitle } from '../../../src/shared/model/job.ts'
import { openTestVault } from '../../faults/vault/test-vault.ts'
import { recordEnded } from './offline-core.ts'

/** Opens the vault of a core's data folder, as another module would. */
export function openVaultOf(folder: string): Vault {
  const vault = openTestVault({ file: join(folder, 'state.db'), home: folder, clock: Date.now })
  onTestFinished(() => vault.close())
  return vault
}

/** A job that has ended, whose results wait in the vault. Each result is the first half of its original. */
export async function endedJob(
  core: Core,
  vault: Vault,
  paths: readonly string[],
  outcome: Outcome = { kind: 'done', results: paths.length, uploaded: null },
  part?: Partial<Pick<PartTitle, 'id' | 'place'>>,
): Promise<{ id: RecordId; output: string; results: ReadonlyMap<string, string> }> {
  const output = await vault.prepare(paths)
  const results = new Map(paths.map((path) => [path, join(output, `${parse(path).name}.jpg`)]))
  for (const [path, result] of results) {
    const content = readFileSync(path)
    writeFileSync(result, content.subarray(0, content.length / 2))
  }
  const id = recordEnded(core, paths, outcome, [...results.values()], output, part)
  const files = [...results].map(([path, outputPath], index) => ({
    file: parse(path).base,
    outputPath,
    index,
  }))
  core.history.recordResults(id, files, [])
  return { id, output, results }
}

/** A job, or a part of one, whose originals are replaced. */
export async function replacedJob(
  core: Core,
  folder: string,
  paths: readonly string[],
  part?: Partial<Pick<PartTitle, 'id' | 'place'>>,
): Promise<RecordId> {
  const vault = openVaultOf(folder)
  const { id, output, results } = await endedJob(core, vault, paths, undefined, part)
  await vault.replaceAll(output, results, () => Promise.resolve(true))
  const counts = { replaced: paths.length, kept: 0, restored: 0 }
  const placed = paths.map((path, index) => ({ file: parse(path).base, outputPath: path, index }))
  core.history.recordReplaced(id, { results: placed, inVault: [], counts })
  return id
}
