/** Writes the entries for File Explorer: registry keys through the system's `reg.exe`, and shortcuts in *Send to*. */
import type { Shell } from 'electron'
import { readdir, rm, writeFile } from 'node:fs/promises'
import { win32 } from 'node:path'
import { messageOf } from '../../../node/errors.ts'
import { isOwnShortcut, isShortcutName, STATE_KEY, type ExplorerEntries, type Shortcut } from './explorer.ts'
import type { EntryTrouble } from './write-entries.ts'

export type ExplorerOptions = {
  /** Absolute path of the program that the shortcuts start. */
  readonly program: string
  /** Absolute path of the user's *Send to* folder. */
  readonly sendTo: string
  /** Absolute path of a file for the keys; removed afterward. */
  readonly registryFile: string
  /** Runs `reg.exe` and resolves to its output; rejects if it fails. */
  readonly reg: (args: readonly string[]) => Promise<string>
  readonly shell: Pick<Shell, 'readShortcutLink' | 'writeShortcutLink'>
}

/** @returns what couldn't be written or removed; the next call tries again */
export async function writeExplorerEntries(
  entries: ExplorerEntries,
  options: ExplorerOptions,
): Promise<readonly EntryTrouble[]> {
  const troubles = await writeShortcuts(entries.shortcuts, options)
  try {
    await writeRegistry(entries, options)
    return troubles
  } catch (error) {
    return [...troubles, { path: STATE_KEY, message: messageOf(error) }]
  }
}

async function writeRegistry(
  { registry, digest }: ExplorerEntries,
  { registryFile, reg }: ExplorerOptions,
): Promise<void> {
  if ((await digestIn(reg)) === digest) return
  try {
    // `reg.exe` expects UTF-16 with a byte order mark.
    await writeFile(registryFile, `\uFEFF${registry}`, 'utf16le')
    await reg(['import', registryFile])
  } finally {
    await rm(registryFile, { force: true })
  }
}

/** Returns the digest of what was written last; '' if there are no entries. */
async function digestIn(reg: ExplorerOptions['reg']): Promise<string> {
  const query = ['query', `HKCU\\Software\\Classes\\${STATE_KEY}`, '/v', 'Entries']
  const output = await reg(query).catch(() => '')
  return /Entries\s+REG_SZ\s+([0-9a-f]+)/.exec(output)?.[1] ?? ''
}

async function writeShortcuts(
  wanted: readonly Shortcut[],
  { program, sendTo, shell }: ExplorerOptions,
): Promise<readonly EntryTrouble[]> {
  const troubles: EntryTrouble[] = []
  const names = (await readdir(sendTo).catch(() => [])).filter(isShortcutName)
  const found = new Map(
    names.map((name) => [name.toLowerCase(), readShortcut(win32.join(sendTo, name), shell)]),
  )
  for (const { name, target, args } of wanted) {
    const path = win32.join(sendTo, name)
    const before = found.get(name.toLowerCase())
    if (before?.target === target && before.args === args) continue
    const isForeign = before !== undefined && !isOwnShortcut(before, program)
    const isWritten =
      !isForeign && shell.writeShortcutLink(path, 'create', { target, args, icon: target, iconIndex: 0 })
    if (!isWritten)
      troubles.push({ path, message: isForeign ? 'another file has this name' : 'could not be written' })
  }
  const kept = new Set(wanted.map(({ name }) => name.toLowerCase()))
  for (const name of names) {
    const shortcut = found.get(name.toLowerCase())
    if (kept.has(name.toLowerCase()) || shortcut === undefined || !isOwnShortcut(shortcut, program)) continue
    const path = win32.join(sendTo, name)
    await rm(path).catch((error: unknown) => troubles.push({ path, message: messageOf(error) }))
  }
  return troubles
}

/** Reads a shortcut. A file that can't be read as a shortcut isn't ours. */
function readShortcut(
  path: string,
  shell: ExplorerOptions['shell'],
): { readonly target: string; readonly args?: string } {
  try {
    return shell.readShortcutLink(path)
  } catch {
    return { target: '' }
  }
}
