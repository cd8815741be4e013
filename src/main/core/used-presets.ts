/**
 * Keeps the documents of presets that jobs use to replace originals. A preset may be edited or deleted while its job runs, but the
 * results are checked against the document that the job used.
 */
import { createHash } from 'node:crypto'
import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import { hasCode } from '../../node/errors.ts'
import { presetKeyIn } from '../../node/preset-key.ts'
import { writeWhole, writeWholeSync } from '../../node/write-file.ts'
import { reportWrite, type WriteListener } from '../database/index.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { builtInDocuments, builtInPresetKeys } from '../ledger/index.ts'
import type { PlannedSubmission } from '../outbox/index.ts'
import { isVaultOutput } from '../vault/index.ts'

export type UsedPresets = {
  /**
   * Call it before the built-in service gets the submission, which then uses this document or refuses.
   * @returns the hash of the preset's document
   * @throws the file system's error; the submission must then wait
   */
  readonly keep: (plan: Pick<PlannedSubmission, 'preset' | 'output'>) => Promise<string | undefined>
  /** @returns undefined if the document is lost: it was deleted or changed since it was kept */
  readonly find: (presetHash: string) => Promise<Preset | undefined>
  /** @throws the file system's error if documents can't be kept */
  readonly tryWriting: () => void
}

/**
 * @param presetFolder the built-in service's
 * @param writes learns whether documents can be kept
 */
export function createUsedPresets(
  dataDir: string,
  presetFolder: string,
  writes?: WriteListener,
): UsedPresets {
  const folder = join(dataDir, 'used-presets')
  const fileOf = (presetHash: string): string =>
    join(folder, `${createHash('sha256').update(presetHash).digest('hex')}.json`)

  async function write(file: string, text: string): Promise<void> {
    try {
      await writeWhole(file, text)
      writes?.written()
    } catch (error) {
      writes?.notWritten(error)
      throw error
    }
  }

  return {
    async keep({ preset, output }) {
      if (preset === null) return (await builtInPresetKeys(presetFolder))(null)
      const found = (await builtInDocuments(presetFolder)).get(preset)
      if (found === undefined) return undefined
      const file = fileOf(found.key)
      if (output.kind === 'folder' && isVaultOutput(output.path) && !existsSync(file))
        await write(file, found.text)
      return found.key
    },
    async find(presetHash) {
      const text = await readRegularFile(fileOf(presetHash)).catch((error: unknown) => {
        if (!hasCode(error, 'ENOENT')) throw error
      })
      // A document that was changed could promise less.
      return text !== undefined && presetKeyIn(text) === presetHash ? readPreset(text).preset : undefined
    },
    tryWriting() {
      const probe = join(folder, '.probe')
      reportWrite(writes, () => {
        writeWholeSync(probe, '')
        rmSync(probe)
      })
    },
  }
}
