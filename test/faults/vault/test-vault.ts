/** Opens a vault for the tests. Its results are texts, and one that contains "damaged" can't be decoded. */
import { readFileSync } from 'node:fs'
import type { Log } from '../../../src/node/log.ts'
import { openVault, type Vault } from '../../../src/main/vault/index.ts'

export const isGood = async (_: string, result: string): Promise<boolean> =>
  !readFileSync(result, 'utf8').includes('damaged')

export type TestVault = {
  /** Path of the journal. */
  readonly file: string
  readonly home: string
  readonly clock: () => number
  readonly log?: Log
}

export const openTestVault = (options: TestVault): Vault =>
  openVault({
    log: () => undefined,
    ...options,
    keepDays: () => ({ from: 'choice', days: 30 }),
    onKeepDays: () => undefined,
    notePlacing: () => undefined,
    onChange: () => undefined,
    onReleased: () => undefined,
    onSetAside: () => undefined,
  })
