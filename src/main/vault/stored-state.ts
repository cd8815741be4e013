/** How versions and states of replacements are stored. */
import { isAbsolute } from 'node:path'
import * as z from 'zod'
import { KEPT_REASONS } from '../../shared/model/replacement.ts'
import type { FolderRights } from '../../node/opened-folder.ts'
import type { FileVersion } from './file-version.ts'
import type { Readable } from './replacement.ts'

/** Numbers that JSON can't hold are stored as text. Times before 1970 are negative, and so are large inodes: Node reads them as signed. */
const big = z
  .string()
  .regex(/^-?\d+$/)
  .transform(BigInt)
export const Version = z
  .object({ size: z.number(), modified: big, inode: big, sha256: z.string() })
  .readonly() satisfies z.ZodType<FileVersion>
/** JSON of `FolderRights`. */
export const Rights = z
  .array(z.object({ mode: z.number(), owner: z.number(), group: z.number() }).readonly())
  .readonly() satisfies z.ZodType<readonly FolderRights[]>
const Move = z.object({ from: z.string(), to: z.string(), version: Version }).readonly()
const at = z.number()
const swapping = {
  kind: z.literal('swapping'),
  swap: z
    .object({
      leaving: Move.nullable(),
      entering: Move,
      reserved: z.object({ path: z.string(), at: z.number() }).readonly().nullable(),
      copied: z.string().nullable(),
    })
    .readonly(),
  result: Version,
  at,
}
export const State = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('waiting') }),
  z.discriminatedUnion('goal', [
    z.object({ ...swapping, goal: z.literal('replace') }),
    z.object({ ...swapping, goal: z.literal('redo'), restoredAt: z.number().nullable() }),
    z.object({ ...swapping, goal: z.literal('keep'), why: z.enum(KEPT_REASONS) }),
    z.object({ ...swapping, goal: z.literal('restore'), place: z.string() }),
  ]),
  z.object({ kind: z.literal('replaced'), place: z.string(), original: z.string(), result: Version, at }),
  z.object({
    kind: z.literal('kept'),
    why: z.enum(KEPT_REASONS),
    result: z.string().nullable(),
    resultBytes: z.number().nullable().default(null),
    version: Version.nullable(),
    at: z.number().nullable().default(null),
  }),
  z.object({
    kind: z.literal('restored'),
    place: z.string(),
    result: z.string().nullable(),
    version: Version.nullable(),
    at,
    restoredAt: z.number().nullable().default(null),
  }),
  z.object({
    kind: z.literal('expired'),
    at,
    was: z.enum(['replaced', 'restored']).default('replaced'),
    place: z.string().nullable().default(null),
    version: Version.nullable(),
  }),
]) satisfies z.ZodType<Readable>

/** Returns a stored state with changed paths. A state that can't be read stays as it is. */
export function movedText(state: string, move: (path: string) => string): string {
  try {
    return JSON.stringify(
      JSON.parse(state, (_, part: unknown) =>
        typeof part === 'string' && isAbsolute(part) ? move(part) : part,
      ),
    )
  } catch {
    return state
  }
}

/** Returns the JSON of a value. Numbers that JSON can't hold become text. */
export const textOf = (value: object): string =>
  JSON.stringify(value, (key, part: unknown) => {
    if (key === ('changed' satisfies keyof FileVersion)) return undefined
    return typeof part === 'bigint' ? String(part) : part
  })
