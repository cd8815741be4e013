/** Where results go, as stored in the settings. */
import * as z from 'zod'

export const StoredOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('folder'), path: z.string() }),
  z.object({ kind: z.literal('drive'), folderId: z.string() }),
])

/** Results go to the folder of each original or to a subfolder of it, or they replace the originals. */
export const OriginalsOutput = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('beside'), subfolder: z.string().nullable() }),
  z.object({ kind: z.literal('replace') }),
])

export const WatchedOutput = z.discriminatedUnion('kind', [
  ...StoredOutput.options,
  ...OriginalsOutput.options,
])
export type WatchedOutput = z.infer<typeof WatchedOutput>
