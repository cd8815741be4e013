/** What AI assistants may use, and what they were refused. */
import * as z from 'zod'

/** A folder that assistants may use. */
export const AllowedFolder = z.object({
  /** Absolute, as the user chose it. */
  path: z.string(),
  /** Without links, when the user chose it. If a link on the path leads elsewhere now, the folder isn't allowed. */
  realPath: z.string(),
})
export type AllowedFolder = Readonly<z.infer<typeof AllowedFolder>>

export const AssistantAccess = z.object({
  /** Whether assistants may use Mediatray at all. */
  enabled: z.boolean(),
  folders: z.array(AllowedFolder),
  /**
   * The output folder of a user who hasn't chosen one, as the app found it when it was last changed; null before. Only the app knows
   * the system's folder for pictures.
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
  /** Assistants are turned off. */
  'off',
] as const
export type RefusalReason = (typeof REFUSAL_REASONS)[number]

/** Something that an assistant asked for and didn't get. */
export type Refusal = {
  /** The path it named; '' if the refusal isn't about a path. */
  readonly path: string
  readonly reason: RefusalReason
  /** ms since 1970. */
  readonly at: number
}
