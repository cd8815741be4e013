/**
 * Keeps the documents of presets that jobs use to replace originals. A preset may be edited or deleted while its job runs, but the
 * results are checked against the document that the job used.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { hasCode } from '../../node/errors.ts'
import { writeWhole } from '../../node/write-file.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { builtInDocuments, builtInPresetKeys } from '../ledger/index.ts'
import type { PlannedSubmission } from '../outbox/index.ts'
import { isVaultOutput } from '../vault/index.ts'

export type UsedPresets = {
  /** Call it right before the built-in service gets the submission. @returns the hash of the preset's document */
  readonly keep: (plan: Pick<PlannedSubmission, 'preset' | 'output'>) => Promise<string | undefined>
  /** @returns undefined if the document wasn't kept */
  readonly find: (presetHash: string) => Promise<Preset | undefined>
}

/** @param presetFolder the built-in service's */
export function createUsedPresets(dataDir: string, presetFolder: string): UsedPresets {
  const fileOf = (presetHash: string): string =>
    join(dataDir, 'used-presets', `${createHash('sha256').update(presetHash).digest('hex')}.json`)

  return {
    async keep({ preset, output }) {
      if (preset === null) return (await builtInPresetKeys(presetFolder))(null)
      const found = (await builtInDocuments(presetFolder)).get(preset)
      if (found === undefined) return undefined
      const file = fileOf(found.key)
      if (output.kind === 'folder' && isVaultOutput(output.path) && !existsSync(file)) {
        await mkdir(dirname(file), { recursive: true, mode: 0o700 })
        await writeWhole(file, found.text)
      }
      return found.key
    },
    async find(presetHash) {
      try {
        return readPreset(await readFile(fileOf(presetHash), 'utf8')).preset
      } catch (error) {
        if (hasCode(error, 'ENOENT')) return undefined
        throw error
      }
    },
  }
}
