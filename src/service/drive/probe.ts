/** Checks whether a remote responds, and reads information about its account. */
import { ifPossible } from '../../node/if-possible.ts'
import { failure, type Failure, type Reason } from '../../shared/failure/failure.ts'
import * as z from 'zod'
import { LIST_REMOTES, parseRemotes } from '../../node/rclone/index.ts'
import { type Remote } from '../../shared/drive-folder.ts'
import { DriveFailure } from './drive.ts'
import type { RunRclone } from './run-rclone.ts'

export type Probe =
  | { readonly kind: 'connected'; readonly remote: Remote }
  | { readonly kind: 'noAnswer'; readonly remote: Remote; readonly why: Reason }
  /** rclone can't use the remote: the remote doesn't exist, or rclone couldn't list its remotes. */
  | { readonly kind: 'unusable'; readonly why: Failure }

export type Account = { readonly email: string | null; readonly scope: string | null }

export const NO_ACCOUNT: Account = { email: null, scope: null }

/** In ms. */
const PROBE_TIMEOUT = 20_000

/** Checks whether a remote responds. Throws only if it was aborted. */
export async function probeRemote(name: string, run: RunRclone, signal: AbortSignal): Promise<Probe> {
  const remotes = await remotesOf(run, signal)
  if ('why' in remotes) return { kind: 'unusable', why: remotes.why }
  const remote = remotes.list.find((candidate) => candidate.name === name)
  if (!remote) return { kind: 'unusable', why: failure('remoteMissing', { remote: name }) }
  try {
    await run({
      command: ['lsjson', '--dirs-only', '--max-depth=1', '--no-modtime', '--no-mimetype'],
      operands: [`${name}:`],
      signal,
      timeoutMs: PROBE_TIMEOUT,
    })
    return { kind: 'connected', remote }
  } catch (error) {
    if (!(error instanceof DriveFailure)) throw error
    // An account with access to only some folders can't list the root, but the remote did respond.
    if (error.kind === 'permission') return { kind: 'connected', remote }
    return { kind: 'noAnswer', remote, why: error.reason }
  }
}

async function remotesOf(
  run: RunRclone,
  signal: AbortSignal,
): Promise<{ readonly list: readonly Remote[] } | { readonly why: Failure }> {
  try {
    const text = await run({ command: LIST_REMOTES, operands: [], signal, timeoutMs: PROBE_TIMEOUT })
    return { list: parseRemotes(text) }
  } catch (error) {
    if (!(error instanceof DriveFailure)) throw error
    return { why: error.failure }
  }
}

const UserInfo = z.record(z.string(), z.unknown())
/** Only this field of the configuration is used, because other fields contain tokens. */
const Configuration = z.record(z.string(), z.looseObject({ scope: z.string().optional().catch(undefined) }))

/** Reads the account. Only a few back ends provide one. Otherwise, its fields are null. Throws only if it was aborted. */
export async function readAccount(remote: Remote, run: RunRclone, signal: AbortSignal): Promise<Account> {
  const ask = (command: readonly string[], operands: readonly string[]): Promise<string> =>
    run({ command, operands, signal, timeoutMs: PROBE_TIMEOUT }).catch((error: unknown) => {
      if (error instanceof DriveFailure) return '{}'
      throw error
    })
  const [info, configuration] = await Promise.all([
    ask(['config', 'userinfo', '--json'], [`${remote.name}:`]),
    remote.type === 'drive' ? ask(['config', 'dump'], []) : '{}',
  ])
  return {
    email: emailIn(UserInfo.catch({}).parse(parsed(info))),
    scope: Configuration.catch({}).parse(parsed(configuration))[remote.name]?.scope ?? null,
  }
}

const parsed = (text: string): unknown => ifPossible((): unknown => JSON.parse(text))

function emailIn(info: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(info)) {
    if (/e-?mail/i.test(name) && typeof value === 'string' && value.includes('@')) return value
  }
  return null
}
