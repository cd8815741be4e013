/** What runs after a job: a program, and a request to a URL. Both get the same JSON report. Their state is in `hook-state.ts`. */
import * as z from 'zod'

/** The outcomes after which something can run. Nothing runs after canceled or forgotten jobs. */
export const HOOK_OUTCOMES = ['done', 'problems', 'failed'] as const
export type HookOutcome = (typeof HOOK_OUTCOMES)[number]

export const isHookOutcome = (kind: string | null): kind is HookOutcome =>
  HOOK_OUTCOMES.some((outcome) => outcome === kind)

/** The program's absolute path and the URL; null for an action that isn't used. */
export const Hooks = z.object({
  program: z.string().nullable(),
  url: z.string().nullable(),
  /** The outcomes after which the program and the URL are used. Missing means all. */
  on: z.array(z.enum(HOOK_OUTCOMES)).max(HOOK_OUTCOMES.length).optional().catch(undefined),
})
export type Hooks = Readonly<z.infer<typeof Hooks>>

export const NO_HOOKS: Hooks = { program: null, url: null }

export const outcomesOf = ({ on }: Pick<Hooks, 'on'>): readonly HookOutcome[] => on ?? HOOK_OUTCOMES

export const HookResult = z.discriminatedUnion('kind', [
  /** The program's exit code, its duration in ms, and the last line of its stderr if the code isn't 0. */
  z.object({ kind: z.literal('exited'), code: z.int(), ms: z.number(), detail: z.string().optional() }),
  z.object({ kind: z.literal('signaled'), signal: z.string() }),
  /** The program ran for too long and was killed, or the server didn't respond in time. */
  z.object({ kind: z.literal('timedOut') }),
  /** The program can't be run; `fault` is a `ProgramFault` or a system error's code. */
  z.object({ kind: z.literal('notStarted'), fault: z.string() }),
  /**
   * The status and its name, such as 503 and Service Unavailable; the time until the response in ms; and the first line of the body of a
   * test or a failure.
   */
  z.object({
    kind: z.literal('answered'),
    status: z.int(),
    reason: z.string(),
    ms: z.number(),
    detail: z.string().optional(),
    /** The service has sent nothing, although the status looks like a success. */
    isRefused: z.literal(true).optional(),
  }),
  /** The server can't be reached, or the connection was lost; `code` is the error's code. */
  z.object({ kind: z.literal('notReached'), code: z.string() }),
  z.object({ kind: z.literal('badUrl'), fault: z.enum(['notAUrl', 'notSecure', 'credentials']) }),
  /** The receiver's address isn't on this computer, for example after an import. Nothing was sent. */
  z.object({ kind: z.literal('noAddress') }),
  /** The signing key or the receiver's address can't be read from the keychain. Nothing was sent. */
  z.object({ kind: z.literal('noKey'), trouble: z.enum(['missing', 'locked']) }),
  /** Mediatray exited during the attempt. */
  z.object({ kind: z.literal('interrupted') }),
])
export type HookResult = Readonly<z.infer<typeof HookResult>>
