/** Tells the system that a file came from somewhere else, so that it asks before it lets the file do anything. */
import { writeFile } from 'node:fs/promises'
import { startProgram, type Child } from './child-process.ts'

export type MarkingSystem = {
  readonly platform: NodeJS.Platform
  /** ms since 1970. */
  readonly clock: () => number
  readonly run: (program: string, args: readonly string[]) => Pick<Child, 'ended' | 'stdout'>
}

const THIS_SYSTEM: MarkingSystem = {
  platform: process.platform,
  clock: Date.now,
  run: (program, args) => startProgram(program, { args }),
}

/** The zone of the internet, in the words of Windows. */
const INTERNET = 3
/** Downloaded, and not yet looked at by the person: the flags that browsers set on a Mac. */
const QUARANTINE_FLAGS = '0081'

/**
 * Windows keeps the mark in a stream beside the content, macOS in an attribute, which only a program can set from here. A
 * file system that has no room for either leaves the file unmarked. Linux desktops know no such mark. Never throws.
 *
 * @param path absolute; it keeps its mark under another name
 * @param origin the scheme and host that it came from, never an address with a key
 */
export async function markOrigin(
  path: string,
  origin: string,
  { platform, clock, run }: MarkingSystem = THIS_SYSTEM,
): Promise<void> {
  if (platform === 'win32') {
    const zone = `[ZoneTransfer]\r\nZoneId=${INTERNET}\r\nHostUrl=${origin}\r\n`
    await writeFile(`${path}:Zone.Identifier`, zone).catch(() => undefined)
  }
  if (platform === 'darwin') {
    const seconds = Math.floor(clock() / 1000).toString(16)
    const value = `${QUARANTINE_FLAGS};${seconds};Mediatray;`
    const marking = run('/usr/bin/xattr', ['-w', 'com.apple.quarantine', value, path])
    marking.stdout.resume()
    await marking.ended
  }
}
