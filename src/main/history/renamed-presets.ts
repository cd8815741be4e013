/**
 * Tracks renamed presets of the built-in service. A record keeps the preset name that its job used, but a new draft from the record
 * uses the current name.
 */
import type { RecordId } from '../../shared/model/ids.ts'
import type { Tables } from './tables.ts'

export type PresetRename = {
  readonly from: string
  readonly to: string
  /** Whether submissions that no service has accepted yet are intended for the built-in service. */
  readonly unaddressed: boolean
}

/** Records a rename for existing records only. A preset that gets the old name later is a different preset. */
export function renamePreset(tables: Tables, { from, to, unaddressed }: PresetRename): void {
  const [last] = tables.records.only('seq').where`TRUE ORDER BY seq DESC LIMIT 1`
  tables.renamedPresets.insert({ was: from, name: to, unaddressed, lastSeq: last?.seq ?? 0 })
}

/** Returns the current name of a record's preset; null if there is no such record or it has no preset. */
export function currentPresetName(tables: Tables, id: RecordId): string | null {
  const record = tables.records.only('seq', 'preset', 'service').get({ id })
  if (record === undefined) return null
  const { seq, preset, service } = record
  return tables.renamedPresets.where`lastSeq >= ${seq}
    AND (${service} = 'builtIn' OR ${service} IS NULL AND unaddressed = 1) ORDER BY number`.reduce(
    (current, { was, name }) => (current === was ? name : current),
    preset,
  )
}
