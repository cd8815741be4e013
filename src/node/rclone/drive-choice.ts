/** Which cloud drive the built-in service uses, as it is kept in its data folder and read by everybody concerned. */
import * as z from 'zod'

export const DRIVE_CHOICE_FILE = 'drive.json'

/** Both may be missing: rclone is then looked for, and no drive is used. */
export const DriveChoice = z.object({
  /** Absolute path of the rclone program. */
  rclonePath: z.string().min(1).optional(),
  /** The name of a remote, as rclone lists it, without the colon. */
  remote: z.string().min(1).optional(),
})
export type DriveChoice = z.infer<typeof DriveChoice>

/** @returns an empty choice where the text is damaged: the person then chooses anew */
export function parseDriveChoice(text: string): DriveChoice {
  try {
    return DriveChoice.catch({}).parse(JSON.parse(text))
  } catch {
    return {}
  }
}
