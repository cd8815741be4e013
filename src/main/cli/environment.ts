import { join } from 'node:path'
import { dataFolder, type Places } from '../../node/data-folder.ts'
import type { Timing } from '../../node/timing.ts'
import type { Continued } from '../../node/owner-link/messages.ts'
import type { Owner } from './owner-types.ts'

export { builtInServiceFolder, dataFolder, presetFolder } from '../../node/data-folder.ts'

export const settingsIn = (place: Places): string => join(dataFolder(place), 'settings.json')

/** What a command gets from the terminal or program that started it. */
export type Terminal = Omit<Places, 'platform'> & {
  /** The arguments without the program name. */
  readonly argv: readonly string[]
  /** Receives results. */
  readonly stdout: Sink & {
    /** Writes a file's content. Resolves with false if the reader closed the stream. null if stdout is a terminal or closed. */
    readonly binary: ((content: AsyncIterable<Uint8Array>) => Promise<boolean>) | null
    /** Aborted when the reader has closed the stream. Commands that only display data then end. */
    readonly closed: AbortSignal
    /** Resolves when the reader has caught up. Prevents a long list from filling the memory. */
    readonly ready?: () => Promise<void>
  }
  /** Reads stdin once. null if stdin is a terminal. */
  readonly stdin: (() => AsyncIterable<Uint8Array>) | null
  /** Receives progress and error messages. */
  readonly stderr: Sink
  readonly readKey: () => Promise<string | undefined>
  /** Asks a yes-or-no question; null without a terminal. */
  readonly confirm: ((question: string) => Promise<boolean>) | null
  /** Aborted when the command has to end. The reason is `USER_CANCEL` or `OWNER_ENDS` if one of them applies. */
  readonly interrupted: AbortSignal
  /**
   * After `OWNER_ENDS`, lets the next owner continue the command with these arguments. If this isn't called, the next owner repeats a
   * command that ended with `EXIT.interrupted`.
   */
  readonly continueWith?: (argv: readonly string[]) => void
  /** Called before and after the command stores something. @param continued what the next owner continues if this one is killed */
  readonly onStored?: (continued: Continued) => void
}

/** What all commands of a process share. */
export type Program = {
  readonly platform: NodeJS.Platform
  readonly timing: Timing
  readonly node: string
  /** Path of the script that Node runs as the built-in service. */
  readonly builtInEntry: string
  /** Path of the file that lists third-party components and their licenses. */
  readonly noticesFile: string
  /** The folder in which Linux describes each power supply. */
  readonly powerSupplies: string
  /** The owner of the data folder. The command runs in its process. */
  readonly owner: Owner
}

/** Everything that the command line gets from its environment, so that tests can replace it. */
export type Environment = Terminal & Program

export type Sink = {
  write(text: string): void
  /** Width in columns; undefined if the output isn't a terminal. */
  readonly columns: number | undefined
}
