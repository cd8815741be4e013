/** Opens a vault for the tests. Its results are texts, and one that contains "damaged" can't be decoded. */
import { readFileSync } from 'node:fs'
import { openState } from '../../../src/main/core/open-state.ts'
import { openVault, type Vault, type VaultOptions } from '../../../src/main/vault/index.ts'

export async function isGood(_: string, result: string, isSmaller: boolean) {
  if (!isSmaller) return 'notSmaller'
  return readFileSync(result, 'utf8').includes('damaged') ? 'badResult' : true
}

type TestVault = Pick<VaultOptions, 'file' | 'home' | 'clock'> & Partial<Pick<VaultOptions, 'log'>>

export const openTestVault = (options: TestVault): Vault =>
  openWithJournal({
    log: () => undefined,
    ...options,
    keepDays: () => ({ from: 'choice', days: 30 }),
    onKeepDays: () => undefined,
    notePlacing: () => undefined,
    onChange: () => undefined,
    onReleased: () => undefined,
  })

/** Opens a vault and its journal, which ends with it. */
export function openWithJournal(options: Omit<VaultOptions, 'connection'>): Vault {
  const { connection } = openState(options.file, options.clock)
  const vault = openVault({ ...options, connection })
  return {
    ...vault,
    async close() {
      await vault.close()
      if (connection.isOpen) connection.close()
    },
  }
}
