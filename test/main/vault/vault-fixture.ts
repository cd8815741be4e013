/** A home folder with photos and a vault, whose clock the test sets. */
import { chmodSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { dirname, join, parse } from 'node:path'
import { DatabaseSync, type SQLInputValue } from 'node:sqlite'
import { it as base, onTestFinished } from 'vitest'
import type { Vault, VaultOptions } from '../../../src/main/vault/index.ts'
import { DAY_MS } from '../../../src/shared/durations.ts'
import { inLongSuite } from '../../faults/long-suite.ts'
import { isGood, openTestVault, openWithJournal } from '../../faults/vault/test-vault.ts'
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
  const file = join(home, 'data', 'state.db')
  const deleteJournal = (): void =>
    ['', '-wal', '-shm'].forEach((name) => rmSync(file + name, { force: true }))
  return {
    root,
    home,
    photos,
    at: (name: string) => join(photos, name),
    data: join(home, 'data'),
    file,
    placed,
    released,
    vault: () => vault,
    deleteJournal,
    /** Opens a vault with another journal in this home folder. */
    openOther(journalFile: string): Vault {
      const other = openTestVault({ file: journalFile, home, clock: () => now })
      onTestFinished(() => other.close())
      return other
    },
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
    /** Copies the journal. @returns replaces it with the copy later */
    async copyJournal() {
      let copy = Buffer.alloc(0)
      await this.reopen(() => void (copy = readFileSync(file)))
      return () =>
        this.reopen(() => {
          deleteJournal()
          writeFileSync(file, copy)
        })
    },
    /** Changes the journal of a photo while nothing is open. */
    changeJournal: (sql: string, ...values: readonly SQLInputValue[]): void => {
      const connection = new DatabaseSync(file)
      connection.prepare(sql).run(...values)
      connection.close()
    },
    async restart(isJobOpen = false) {
      await this.reopen()
      await vault.tidy(() => isJobOpen)
    },
    /** Prepares a job for some originals and writes their results. */
    async prepareAll(paths: readonly string[], content = RESULT, ending = '.jpg') {
      const output = await vault.prepare(paths)
      const results = new Map(paths.map((path) => [path, join(output, parse(path).name + ending)]))
      for (const result of results.values()) writeFileSync(result, content)
      return { output, results, replaceAll: () => vault.replaceAll(output, results, isGood) }
    },
    /** Creates a photo, prepares a job for it, and writes its result. */
    prepare(path: string, ending?: string) {
      mkdirSync(dirname(path), { recursive: true })
      writeFileSync(path, ORIGINAL)
      chmodSync(path, 0o640)
      utimesSync(path, TAKEN_AT, TAKEN_AT)
      return this.prepareAll([path], RESULT, ending)
    },
    /** Replaces a photo that it creates. */
    async replace(path: string, ending?: string): Promise<string> {
      const { output, replaceAll } = await this.prepare(path, ending)
      await replaceAll()
      return output
    },
  }
}

export const it = base.extend('world', () => createWorld())
export const itInLongSuite = inLongSuite(it)

export const contentsIn = (folder: string): Readonly<Record<string, string>> =>
  Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(join(folder, name), 'utf8')]))
