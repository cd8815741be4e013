/** What AI assistants may use, and which of their requests were refused. */
import * as z from 'zod'

export const AllowedFolder = z.object({
  /** Absolute, as the user chose it. */
  path: z.string(),
  /** The path without links at the time of the choice. If a link on the path now leads elsewhere, the folder isn't allowed. */
  realPath: z.string(),
})
export type AllowedFolder = Readonly<z.infer<typeof AllowedFolder>>

export const AssistantAccess = z.object({
  /** Whether assistants may use Mediatray at all. */
  enabled: z.boolean(),
  folders: z.array(AllowedFolder),
  /**
   * The output folder if the user hasn't chosen one, as of the last change to these settings in the app; null until then. Only the app
   * knows the system's folder for pictures.
   */
  usualOutput: z.string().nullable().catch(null),
})
export type AssistantAccess = Readonly<z.infer<typeof AssistantAccess>>

export const NO_ACCESS: AssistantAccess = { enabled: false, folders: [], usualOutput: null }

export const REFUSAL_REASONS = [
  /** The path isn't in an allowed folder. */
  'outside',
  /** The path is in an allowed folder, but a link on it leads elsewhere. */
  'leadsOutside',
  /** The output isn't in an allowed folder. */
  'outputOutside',
  'tooManyFiles',
  'off',
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

export type Refusal = {
  /** The path in the request; '' if the refusal isn't about a path. */
  readonly path: string
  readonly reason: RefusalReason
  /** ms since 1970. */
  readonly at: number
}
