import { type DatabaseFile, openDatabaseFile } from '../database/index.ts'
import { DOWNLOAD_TABLES } from '../downloads/index.ts'
import { VAULT_TABLES } from '../vault/index.ts'
import { PROCESSED_TABLES } from '../watch/index.ts'

const schema = [...DOWNLOAD_TABLES, ...PROCESSED_TABLES, ...VAULT_TABLES].map(({ sql }) => sql).join('\n')

/**
 * Opens the database of downloads, watched folders and replaced originals (docs/decisions/one-store.md).
 * @throws see `openDatabase`
 */
export const openState = (
  file: string,
  clock: () => number,
  onSetAside?: (keptAs: string) => void,
): DatabaseFile =>
  openDatabaseFile({ file, schema, checkWhole: true, keepsLogSmall: true, clock, onSetAside })
