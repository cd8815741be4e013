import * as z from 'zod'
import { OriginalsOutput, StoredOutput } from './stored-output.ts'

const [alongside, replace] = OriginalsOutput.options
const Output = z.discriminatedUnion('kind', [
  ...StoredOutput.options,
  alongside.extend({ presetFolder: z.string().optional() }),
  replace,
])

/** The options of a started draft that can't be read from its submissions, as stored in the outbox and the history. */
export const ChosenOptions = z.object({ output: Output.readonly(), presetFolders: z.boolean() }).readonly()
export type ChosenOptions = z.infer<typeof ChosenOptions>
