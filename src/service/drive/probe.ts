/** Asks a remote whether it answers, and what it tells about its account. */
import * as z from 'zod'
import { LIST_REMOTES, parseRemotes } from '../../node/rclone/index.ts'
import { type Remote } from '../../shared/drive-folder.ts'
import { DriveFailure } from './drive.ts'
import type { RunRclone } from './run-rclone.ts'

export type Probe =
  | { readonly kind: 'connected'; readonly remote: Remote }
  | { readonly kind: 'noAnswer'; readonly remote: Remote; readonly why: string }
  /** rclone itself can't use it: it has no such remote, or can't read its configuration. */
  | { readonly kind: 'unusable'; readonly why: string }

export type Account = { readonly email: string | null; readonly scope: string | null }

export const NO_ACCOUNT: Account = { email: null, scope: null }

/** In ms. */
const PROBE_TIMEOUT = 20_000

/** Throws only when it was stopped. */
export async function probeRemote(name: string, run: RunRclone, signal: AbortSignal): Promise<Probe> {
  const remotes = await remotesOf(run, signal)
  if ('why' in remotes) return { kind: 'unusable', why: remotes.why }
  const remote = remotes.list.find((candidate) => candidate.name === name)
  if (!remote) return { kind: 'unusable', why: `rclone has no remote of the name ${name} any more.` }
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
    // An account that may use some folders only, and not list the root, has answered all the same.
    if (error.kind === 'permission') return { kind: 'connected', remote }
    return { kind: 'noAnswer', remote, why: error.message }
  }
}

async function remotesOf(
  run: RunRclone,
  signal: AbortSignal,
): Promise<{ readonly list: readonly Remote[] } | { readonly why: string }> {
  try {
    const text = await run({ command: LIST_REMOTES, operands: [], signal, timeoutMs: PROBE_TIMEOUT })
    return { list: parseRemotes(text) }
  } catch (error) {
    if (!(error instanceof DriveFailure)) throw error
    return { why: `${error.message}.` }
  }
}

const UserInfo = z.record(z.string(), z.unknown())
/** Only this is taken of the configuration, which holds the tokens as well. */
const Configuration = z.record(z.string(), z.looseObject({ scope: z.string().optional().catch(undefined) }))

/** What few back-ends tell; null for the rest. Throws only when it was stopped. */
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return {}
  }
}

function emailIn(info: Readonly<Record<string, unknown>>): string | null {
  for (const [name, value] of Object.entries(info)) {
    if (/e-?mail/i.test(name) && typeof value === 'string' && value.includes('@')) return value
  }
  return null
}
