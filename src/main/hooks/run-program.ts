import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { isAbsolute, parse } from 'node:path'
import { environmentOf, startProgram, type ChildEnd } from '../../node/child-process.ts'
import { programFault } from '../../node/program-fault.ts'
import type { Timing } from '../../node/timing.ts'
import { ifPossible } from '../../node/if-possible.ts'
import type { HookResult } from '../../shared/model/after-job.ts'
import { shownLine } from './shown-line.ts'

/** Time limit for a program, in ms. */
const LIMIT_MS = 60_000
/** Time limit for a program to end after it was asked to, in ms. */
const GRACE_MS = 2_000

/**
 * Runs a program without a shell or arguments, with `input` on its stdin. Its output is read and dropped, except for the last line of its
 * stderr. At the time limit, the program and all programs that it has started are asked to end, and killed if they don't.
 * @param signal ends the program early
 */
export async function runProgram(
  program: string,
  input: string,
  {
    after,
    monotonic,
    env = process.env,
  }: Pick<Timing, 'after' | 'monotonic'> & { readonly env: NodeJS.ProcessEnv | undefined },
  signal: AbortSignal,
): Promise<HookResult> {
  const fault = isAbsolute(program) ? await programFault(program) : 'missing'
  if (fault !== undefined) return { kind: 'notStarted', fault }
  if (signal.aborted) return { kind: 'interrupted' }
  const startedAt = monotonic()
  const child = startProgram(program, {
    input,
    asGroup: true,
    env: environmentOf({ env }),
    cwd: homeOr(parse(program).root),
  })
  child.stdout.resume()

  let stopped: 'timedOut' | 'interrupted' | undefined
  let cancelKill: (() => void) | undefined
  function stop(why: NonNullable<typeof stopped>): void {
    stopped ??= why
    child.terminate()
    cancelKill ??= after(GRACE_MS, child.kill)
  }
  const onAbort = () => stop('interrupted')
  const cancelLimit = after(LIMIT_MS, () => {
    // After this process was suspended, Node may learn only now that the program exited in time.
    setImmediate(() => {
      if (!child.hasExited()) stop('timedOut')
    })
  })
  signal.addEventListener('abort', onAbort, { once: true })
  const end = await child.ended
  signal.removeEventListener('abort', onAbort)
  cancelLimit()
  cancelKill?.()
  return stopped === undefined ? resultOf(end, monotonic() - startedAt) : { kind: stopped }
}

/** Returns the home folder, or `folder` for a user without one, such as a system user that only runs services. */
function homeOr(folder: string): string {
  const home = ifPossible(homedir)
  return home !== undefined && existsSync(home) ? home : folder
}

function resultOf({ code, signal, startError, stderrTail }: ChildEnd, ms: number): HookResult {
  if (startError !== undefined) return { kind: 'notStarted', fault: startError.code ?? startError.message }
  if (code === null) return { kind: 'signaled', signal: signal ?? '' }
  const detail = shownLine(stderrTail.split('\n').at(-1))
  return { kind: 'exited', code, ms: Math.round(ms), ...(code === 0 || detail === '' ? {} : { detail }) }
}
