/** Where results go, as stored in the settings. */
import * as z from 'zod'

export const StoredOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('drive'), folderId: z.string() }),
])

/** Results of a watched folder can also be saved in the folder of each original or in this subfolder of it, or replace the original. */
export const WatchedOutput = z.discriminatedUnion('kind', [
  ...StoredOutput.options,
  z.object({ kind: z.literal('beside'), subfolder: z.string().nullable() }),
  z.object({ kind: z.literal('replace') }),
])
export type WatchedOutput = z.infer<typeof WatchedOutput>
