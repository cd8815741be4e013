/** How versions and states of replacements are stored. */
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { KEPT_REASONS } from '../../shared/model/replacement.ts'
import type { FolderRights } from '../../node/opened-folder.ts'
import { ifPossible } from '../../node/if-possible.ts'
import type { FileVersion } from './file-version.ts'

/** Numbers that JSON can't hold are stored as text. Times before 1970 are negative, and so are large inodes: Node reads them as signed. */
const big = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)
export const Version: z.ZodType<FileVersion> = z
  .object({ size: z.number(), modified: big, inode: big, sha256: z.string() })
  .readonly()
export const Rights = z
  .array(z.object({ mode: z.number(), owner: z.number(), group: z.number() }).readonly())
  .readonly() satisfies z.ZodType<readonly FolderRights[]>
/** A file that moves from one absolute path to another. */
const Move = z.object({ from: z.string(), to: z.string(), version: Version }).readonly()
export type Move = z.output<typeof Move>
const Swap = z
  .object({
    /** The file that moves to the vault; null if its path is already free. */
    leaving: Move.nullable(),
    /** The file that moves to the freed path. `to` is the last path that was chosen for it. */
    entering: Move,
    /** An empty file that reserves a name on a file system without hard links. `at` is in ms since 1970. */
    reserved: z.object({ path: z.string(), at: z.number() }).readonly().nullable(),
    /** The source on another volume from which the entering file was copied and verified; null if there is none, or after it was removed. */
    copied: z.string().nullable(),
  })
  .readonly()
export type Swap = z.output<typeof Swap>
const at = z.number()
const swapping = {
  kind: z.literal('swapping'),
  swap: Swap,
  /** The version of the result, which the swap places or removes. */
  result: Version,
  /** When the original was or will be replaced, or when keeping its result began, in ms since 1970. */
  at,
}
/**
 * Set if the user replaces an original that was kept because something would be lost. The result was next to the original, so
 * Mediatray never deletes it. If the swap fails, the result moves back.
 */
const anyway = z.literal(true).optional()
/** A swap has begun. After a crash, the next run finishes it. */
const Swapping = z.discriminatedUnion('goal', [
  z.object({ ...swapping, goal: z.literal('replace'), anyway }),
  /** Replaces a restored original again. `restoredAt`: when it was restored. */
  z.object({ ...swapping, goal: z.literal('redo'), restoredAt: z.number().nullable() }),
  /** Puts the result next to the original, which isn't moved. */
  z.object({ ...swapping, goal: z.literal('keep'), why: z.enum(KEPT_REASONS), anyway }),
  /** `place`: the path of the result that the original replaces. */
  z.object({ ...swapping, goal: z.literal('restore'), place: z.string() }),
])
export type Swapping = Readonly<z.output<typeof Swapping>>

export type Readable = Readonly<z.output<typeof State>>
export const State = z.discriminatedUnion('kind', [
  /** The job hasn't ended. */
  z.object({ kind: z.literal('waiting') }),
  Swapping,
  /** The result has replaced the original, which is in the vault at the path `original`. `at`: when, in ms since 1970. */
  z.object({ kind: z.literal('replaced'), place: z.string(), original: z.string(), result: Version, at }),
  /**
   * The original was kept where it is. `result` is the result's path, if it was kept. `at`: when the result was left in the vault because
   * it couldn't be moved next to the original, in ms since 1970; null if the result isn't in the vault.
   */
  z.object({
    kind: z.literal('kept'),
    why: z.enum(KEPT_REASONS),
    result: z.string().nullable(),
    /** Size of a result that wasn't smaller, in bytes. */
    resultBytes: z.number().nullable().default(null),
    /** Version of the result, if it was kept. */
    version: Version.nullable(),
    at: z.number().nullable().default(null),
  }),
  /** The original was restored. `result`: the result's path in the vault; null if it isn't there, for example because it was edited. */
  z.object({
    kind: z.literal('restored'),
    place: z.string(),
    result: z.string().nullable(),
    version: Version.nullable(),
    /** When the original was replaced, in ms since 1970. */
    at,
    restoredAt: z.number().nullable().default(null),
  }),
  /** The original, or the result of a restored one, was deleted from the vault. */
  z.object({
    kind: z.literal('expired'),
    at,
    was: z.enum(['replaced', 'restored']).default('replaced'),
    /** The path of the file that stayed; null if it isn't known. */
    place: z.string().nullable().default(null),
    /** Version of a result that stayed. */
    version: Version.nullable(),
  }),
])

/** Returns a stored state with changed paths. A state that can't be read stays as it is. */
export function movedText(state: string, move: (path: string) => string): string {
  const moved = (_: string, part: unknown) =>
    typeof part === 'string' && isAbsolute(part) ? move(part) : part
  return ifPossible(() => JSON.stringify(JSON.parse(state, moved))) ?? state
}

/** Returns the JSON of a value. Numbers that JSON can't hold become text. Omits a version's `changed`, which isn't stored. */
export const textOf = (value: object): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (key === ('changed' satisfies keyof FileVersion)) return undefined
    return typeof part === 'bigint' ? String(part) : part
  })
