/**
 * Tracks renamed presets of the built-in service. A record keeps the preset name that its job used, but a new draft from the record
 * uses the current name.
 */
import type { DatabaseSync } from 'node:sqlite'
import * as z from 'zod'
import type { RecordId } from '../../shared/model/ids.ts'

export type PresetRename = {
  readonly from: string
  readonly to: string
  /** Whether submissions that no service has accepted yet are intended for the built-in service. */
  readonly unaddressed: boolean
}

/** A rename applies to records up to `last_seq`. */
export const renamedSchema = `
  CREATE TABLE renamed_presets (
    number INTEGER PRIMARY KEY,
    was TEXT NOT NULL,
    name TEXT NOT NULL,
    unaddressed INTEGER NOT NULL,
    last_seq INTEGER NOT NULL
  ) STRICT;`

const PresetRow = z.object({ seq: z.number(), preset: z.string().nullable(), service: z.string().nullable() })
const RenameRow = z.object({ was: z.string(), name: z.string() })

export function renamedPresets(connection: DatabaseSync) {
  const add = connection.prepare(`
    INSERT INTO renamed_presets (was, name, unaddressed, last_seq)
    VALUES (:from, :to, :unaddressed, (SELECT coalesce(max(seq), 0) FROM records))`)
  const presetOf = connection.prepare('SELECT seq, preset, service FROM records WHERE id = ?')
  const since = connection.prepare(`
    SELECT was, name FROM renamed_presets
    WHERE last_seq >= :seq AND (:service = 'builtIn' OR :service IS NULL AND unaddressed = 1) ORDER BY number`)
  return {
    /** Records a rename for existing records only. A preset that gets the old name later is a different preset. */
    renamePreset({ from, to, unaddressed }: PresetRename): void {
      add.run({ from, to, unaddressed: Number(unaddressed) })
    },

    /** Returns the current name of a record's preset. */
    currentPresetName(id: RecordId): string | null {
      const row = presetOf.get(id)
      if (row === undefined) return null
      const { seq, preset, service } = PresetRow.parse(row)
      return since
        .all({ seq, service })
        .map((renamed) => RenameRow.parse(renamed))
        .reduce((name, { was, name: next }) => (name === was ? next : name), preset)
    },
  }
}
