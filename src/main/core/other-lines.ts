/** Adds the services, jobs, submissions and notices of the other lines to the main line's state. */
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Notice } from '../../shared/model/notice.ts'
import { countWaiting, unfinishedJobs } from '../../shared/model/job-state.ts'
import type { PartAt } from '../../shared/model/job.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { StateStore } from '../state/state.ts'
import type { Modules } from './modules.ts'

/** By service. */
export type OtherLines = ReadonlyMap<string, { readonly state: StateStore }>

/** Returns the lines to services in the user's settings. Leaves out those that only commands use. */
const chosen = (lines: OtherLines, { otherServices }: Settings): OtherLines =>
  new Map([...lines].filter(([service]) => otherServices.some((one) => one.service === service)))

/**
 * Returns the connections to the chosen services. Adds the kind to the built-in service's connection, which has none until the service is
 * started.
 */
export const servicesOf = (lines: OtherLines, settings: Settings): readonly ConnectionView[] =>
  [...chosen(lines, settings)].map(([service, { state }]) => {
    const { connection } = state.get()
    return connection.kind === null && service === 'builtIn' ? { ...connection, kind: service } : connection
  })

/** Other clients' jobs on the other lines, with their service added. An unchanged job keeps its identity. */
const named = new WeakMap<PartAt<'service'>, PartAt<'service'>>()

export const jobsOf = (lines: OtherLines): readonly PartAt<'service'>[] =>
  [...lines].flatMap(([service, { state }]) =>
    state.get().jobs.map((job) => {
      if (job.service !== undefined) return job
      const known = named.get(job) ?? { ...job, service }
      named.set(job, known)
      return known
    }),
  )

/** Returns each submission as the line to its service shows it. */
export function entries(
  { outbox, sender }: Pick<Modules, 'outbox' | 'sender'>,
  others: OtherLines,
): readonly PartAt<'outbox'>[] {
  if (others.size === 0) return sender.entries()
  const lists = new Map([...others].map(([service, { state }]) => [service, state.get().outbox]))
  const own = sender.entries()
  const { submissions } = outbox.listSoFar()
  return own.map((entry, index) => {
    const submission = submissions[index]
    const { title, state } = submission ?? {}
    const isSent = state?.kind === 'sending' || state?.kind === 'unknown'
    const there = lists.get((isSent ? state.attempt.service : title?.service) ?? '')?.[index]
    return there?.id === entry.id ? there : entry
  })
}

const ABOUT_SERVICES = new Set<Notice['kind']>([
  'keyRejected',
  'notRunning',
  'otherVersion',
  'noKeychain',
  'builtInFailed',
])

/** Returns the notices about the other services. Show them after those about the main service, which receives most jobs. */
export const noticesFor = (lines: OtherLines, settings: Settings): readonly Notice[] =>
  [...chosen(lines, settings)].flatMap(([service, { state }]) => {
    const { notices, outbox } = state.get()
    const own = outbox.filter((entry) => entry.service === service)
    const waiting = countWaiting(unfinishedJobs({ jobs: [], outbox: own, endedParts: [] }))
    return notices
      .filter(({ kind }) => ABOUT_SERVICES.has(kind))
      .map((notice) => ({ ...notice, ...('waiting' in notice ? { waiting } : {}), service }))
  })

export const withoutOthers = <State extends { readonly outbox: readonly PartAt<'outbox'>[] }>(
  state: State,
  lines: OtherLines,
): State =>
  lines.size === 0
    ? state
    : { ...state, outbox: state.outbox.filter(({ service }) => !lines.has(service ?? '')) }
