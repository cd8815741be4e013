/**
 * Keeps the documents of presets that submissions use, because a preset may be edited or deleted before its job ends. A submission uses the
 * document that the user chose, even if it is sent again. Results that replace originals are checked against that document.
 */
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { readRegularFile } from '../../node/open-regular.ts'
import { hasCode } from '../../node/errors.ts'
import { keptPresetFile, presetKeyIn } from '../../node/preset-key.ts'
import { writeWhole, writeWholeSync } from '../../node/write-file.ts'
import { reportWrite, type WriteListener } from '../database/index.ts'
import type { Preset } from '../../shared/preset/preset.ts'
import { readPreset } from '../../shared/preset/read-preset.ts'
import { builtInDocuments, builtInPresetKeys } from '../ledger/index.ts'
import type { PlannedSubmission } from '../outbox/index.ts'
import { isVaultOutput } from '../vault/index.ts'

type Plan = Pick<PlannedSubmission, 'preset' | 'output' | 'presetHash'>

export type UsedPresets = ReturnType<typeof createUsedPresets>

/**
 * @param presetFolder the built-in service's preset folder
 * @param writes called with the outcome of each write, except those of `keepAll`
 */
export function createUsedPresets(presetFolder: string, writes?: WriteListener) {
  const fileOf = (presetHash: string): string => keptPresetFile(presetFolder, presetHash)

  async function write(file: string, text: string): Promise<void> {
    try {
      await writeWhole(file, text)
      writes?.written()
    } catch (error) {
      writes?.notWritten(error)
      throw error
    }
  }

  async function find(presetHash: string): Promise<Preset | undefined> {
    const text = await readRegularFile(fileOf(presetHash)).catch((error: unknown) => {
      if (!hasCode(error, 'ENOENT')) throw error
    })
    // Check the hash, because a changed document could promise less.
    return text !== undefined && presetKeyIn(text) === presetHash ? readPreset(text).preset : undefined
  }

  const isMissing = (key: string | undefined) => key !== undefined && !existsSync(fileOf(key))
  const isKept = async (key: string) => (await find(key).catch(() => undefined)) !== undefined

  return {
    /**
     * Keeps the documents of planned submissions. If one can't be kept, the submission uses the preset's document at the time of sending.
     */
    keepAll: async (plans: readonly Plan[]): Promise<void> => {
      if (!plans.some(({ preset, presetHash }) => preset !== null && isMissing(presetHash))) return
      const documentOf = await builtInDocuments(presetFolder)
      for (const { preset, presetHash } of plans) {
        const found = preset === null ? undefined : documentOf(preset)
        if (found !== undefined && found.key === presetHash && isMissing(found.key))
          await writeWhole(fileOf(found.key), found.text).catch(() => undefined)
      }
    },
    /**
     * Chooses the document for one submission: the kept one or, if it is lost, the preset's current one. Keeps the current one if the
     * submission replaces originals. Call this before sending the submission to the built-in service, which uses this document or refuses.
     * @returns the hash of the document; undefined if the preset no longer exists
     * @throws the file system's error. In that case, the submission must wait
     */
    keep: async ({ preset, output, presetHash }: Plan): Promise<string | undefined> => {
      if (preset === null) return (await builtInPresetKeys(presetFolder))(null)
      if (presetHash !== undefined && (await isKept(presetHash))) return presetHash
      const found = (await builtInDocuments(presetFolder))(preset)
      if (found === undefined) return undefined
      if (output.kind === 'folder' && isVaultOutput(output.path) && !(await isKept(found.key)))
        await write(fileOf(found.key), found.text)
      return found.key
    },
    /** @returns undefined if the document wasn't kept, or was deleted or changed later */
    find,
    /** @throws the file system's error if documents can't be kept */
    tryWriting(): void {
      const probe = join(dirname(fileOf('')), '.probe')
      reportWrite(writes, () => {
        writeWholeSync(probe, '')
        rmSync(probe)
      })
    },
  }
}
