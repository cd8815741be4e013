/** Remembers where vaults are, separately from the journal, and finds those in the home folder. */
import { existsSync, readdirSync } from 'node:fs'
import { readdir } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'
import * as z from 'zod'
import { readRegularFile } from '../../node/open-regular.ts'
import { writeWhole } from '../../node/write-file.ts'
import { ifPossible } from '../../node/if-possible.ts'
import { filterAsync } from '../../node/limited.ts'
import { isOwnVault, VAULT_PREFIX } from './vault-folder.ts'

export const vaultListOf = (journal: string): string => join(dirname(journal), 'vaults.json')

const Paths = z.array(z.string())

/** Returns the listed vaults; an empty array if the list is missing or invalid. */
export const readVaultList = (list: string): Promise<readonly string[]> =>
  readRegularFile(list)
    .then((text) => Paths.parse(JSON.parse(text)))
    .catch(() => [])

/** Adds a vault to the list. Replaces an entry for a vault with the same name. @throws the file system's error */
export async function noteVault(list: string, vault: string): Promise<void> {
  const known = await readVaultList(list)
  if (known.includes(vault)) return
  const others = known.filter((one) => basename(one) !== basename(vault))
  await writeWhole(list, JSON.stringify([...others, vault]))
}

/**
 * Notes in a vault which journal lists its originals, because several data folders may share a home folder, for example those of the
 * installed and the portable edition.
 * @throws the file system's error
 */
export async function noteJournal(vault: string, journal: string): Promise<void> {
  if ((await journalOf(vault)) !== journal) await writeWhole(join(vault, JOURNAL), journal)
}

const JOURNAL = 'journal'

const journalOf = (vault: string): Promise<string | undefined> =>
  readRegularFile(join(vault, JOURNAL)).catch(() => undefined)

/** Returns the journal that lists a vault's originals, if it isn't this one and still exists; otherwise undefined. */
export async function otherJournalOf(vault: string, journal: string): Promise<string | undefined> {
  const listedIn = await journalOf(vault)
  return listedIn !== undefined && listedIn !== journal && existsSync(listedIn) ? listedIn : undefined
}

/**
 * Returns the connected vaults in the list and in the home folder that belong to this journal or to one that no longer exists.
 * @param known vaults to check in addition to those in the list
 */
export async function findVaults(
  journal: string,
  home: string,
  known: ReadonlySet<string>,
): Promise<readonly string[]> {
  const inHome = namedVaults(await readdir(home).catch(() => []), home)
  const all = new Set([...known, ...(await readVaultList(vaultListOf(journal))), ...inHome])
  return filterAsync(all, async (vault) => {
    const listedIn = (await isOwnVault(vault)) ? await journalOf(vault) : undefined
    return listedIn !== undefined && (listedIn === journal || !existsSync(listedIn))
  })
}

/** Whether the home folder may have a vault. Checks only names. */
export const hasVaultIn = (home: string): boolean =>
  namedVaults(ifPossible(() => readdirSync(home)) ?? [], home).length > 0

const namedVaults = (names: readonly string[], folder: string): readonly string[] =>
  names.filter((name) => name.startsWith(VAULT_PREFIX)).map((name) => join(folder, name))
