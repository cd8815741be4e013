/** Describes how a build is signed. A build installs only updates whose signature can be verified. */
import * as z from 'zod'
import { readRegular } from '../../node/open-regular.ts'
import { ifPossible } from '../../node/if-possible.ts'

/** File name in the package's resources folder. */
export const UPDATE_TRUST_FILE = 'update-trust.json'

const UpdateTrust = z.strictObject({
  /**
   * Whether updates are signed. On macOS and Windows, the program is signed and the system verifies it. On Linux, the feed is
   * signed.
   */
  signed: z.boolean(),
  /** Linux only: the publisher's Ed25519 key, as Base64 of the DER-encoded SPKI. */
  key: z.string().nullable(),
})
export type UpdateTrust = z.infer<typeof UpdateTrust>

/**
 * Returns how a build is signed. A build without the file counts as unsigned.
 * @param file absolute path of the file written during packaging
 */
export const readUpdateTrust = (file: string): UpdateTrust =>
  ifPossible(() => UpdateTrust.parse(JSON.parse(readRegular(file)))) ?? { signed: false, key: null }
