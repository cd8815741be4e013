import * as z from 'zod'

const folder = z.object({ kind: z.literal('folder'), path: z.string() })
const drive = z.object({ kind: z.literal('drive'), folderId: z.string() })
const nextToOriginals = z.object({
  kind: z.literal('beside'),
  subfolder: z.string().nullable(),
  presetFolder: z.string().optional(),
})
const replace = z.object({ kind: z.literal('replace') })

/** The options of a started draft that can't be read from its submissions, as stored in the outbox and the history. */
export const ChosenOptions = z
  .object({
    output: z.discriminatedUnion('kind', [folder, drive, nextToOriginals, replace]).readonly(),
    presetFolders: z.boolean(),
  })
  .readonly()
export type ChosenOptions = z.infer<typeof ChosenOptions>
