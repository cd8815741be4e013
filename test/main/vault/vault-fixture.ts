/** A home folder with photos and a vault, whose clock the test sets. */
import { chmodSync, mkdirSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { it as base, onTestFinished } from 'vitest'
import type { Vault, VaultOptions } from '../../../src/main/vault/index.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { isGood, openWithJournal } from '../../faults/vault/test-vault.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

export const ORIGINAL = 'the original '.repeat(20)
export const RESULT = 'the result'
export const TAKEN_AT = new Date('2024-05-01T10:00:00Z')
export const isRoot = process.platform === 'linux' && process.getuid?.() === 0

export type World = ReturnType<typeof createWorld>

/** @param journal path of its file; by default, in the home folder */
export function createWorld(root = temporaryFolder(), journal?: string) {
  let home = join(root, 'home')
  const photos = join(home, 'photos')
  mkdirSync(photos, { recursive: true })
  let now = Date.UTC(2026, 10, 25)
  let keep: ReturnType<VaultOptions['keepDays']> = { from: 'choice', days: 30 }
  const placed: string[] = []
  const released: string[] = []
  const open = (): Vault =>
    openWithJournal({
      file: journal ?? join(home, 'data', 'state.db'),
      home,
      clock: () => now,
      keepDays: () => keep,
      onKeepDays: (days) => void (keep = { from: 'default', days }),
      notePlacing: (path) => void placed.push(path),
      onChange: () => undefined,
      onReleased: (places) => void released.push(...places),
      log: () => undefined,
    })
  let vault = open()
  onTestFinished(() => vault.close())
  return {
    root,
    home,
    photos,
    data: join(home, 'data'),
    file: join(home, 'data', 'state.db'),
    placed,
    released,
    vault: () => vault,
    pass: (ms: number) => void (now += ms),
    /** Lets days pass, in each of which the vault is tidied. @param open the output folder of a job that hasn't ended */
    async passDays(days: number, open?: string) {
      for (let day = 0; day < days; day++) {
        now += DAY_MS
        await vault.tidy((output) => output === open)
      }
    },
    keepFor: (days: number | null) => void (keep = { from: 'choice', days }),
    loseChoice: (left: typeof keep) => void (keep = left),
    photo(name: string, content = ORIGINAL): string {
      const path = join(photos, name)
      writeFileSync(path, content)
      return path
    },
    /** @param change happens while nothing is open; may return another home folder */
    async reopen(change: () => string | void = () => undefined) {
      await vault.close()
      home = change() ?? home
      vault = open()
    },
    async restart(isJobOpen = false) {
      await this.reopen()
      await vault.tidy(() => isJobOpen)
    },
    /** Creates a photo, prepares a job for it, and writes its result. */
    async prepare(path: string, ending = '.jpg') {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, ORIGINAL)
      chmodSync(path, 0o640)
      utimesSync(path, TAKEN_AT, TAKEN_AT)
      const output = await vault.prepare([path])
      const result = join(output, parse(path).name + ending)
      writeFileSync(result, RESULT)
      return { output, results: new Map([[path, result]]) }
    },
    /** Replaces a photo that it creates. */
    async replace(path: string, ending?: string): Promise<string> {
      const { output, results } = await this.prepare(path, ending)
      await vault.replaceAll(output, results, isGood)
      return output
    },
  }
}

export const it = base.extend('world', () => createWorld())
