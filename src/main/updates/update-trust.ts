/** What a build says of its own signature, so that it replaces itself only by what can be held against one. */
import { readFileSync } from 'node:fs'
import * as z from 'zod'

/** Its name in the package's resources. */
export const UPDATE_TRUST_FILE = 'update-trust.json'

const UpdateTrust = z.strictObject({
  /** The program has a signature that the system checks of the next one too; on Linux, feeds have one. */
  signed: z.boolean(),
  /** On Linux: the publisher's Ed25519 key, SPKI in DER, in base64. */
  key: z.string().nullable(),
})
export type UpdateTrust = z.infer<typeof UpdateTrust>

const NONE: UpdateTrust = { signed: false, key: null }

/** @param file absolute; packing puts it there */
export function readUpdateTrust(file: string): UpdateTrust {
  try {
    return UpdateTrust.parse(JSON.parse(readFileSync(file, 'utf8')))
  } catch {
    // A build that does not say so is not signed.
    return NONE
  }
}
