/** Facts that modules tell, in the past tense. Only the roots and their reactions know this list; a module knows callbacks. */
import type { JobList } from '../../shared/api/resources.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Draft, IntakeProgress } from '../../shared/model/draft.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { Damage } from '../../shared/model/notice.ts'
import type { RecordDetails } from '../../shared/model/work.ts'
import type { TrackerUpdate } from '../jobs/index.ts'

export type CoreEvents = {
  readonly connectionChanged: ConnectionView
  /** Which job, and how, the next list tells. */
  readonly builtInJobEnded: void
  readonly settingsChanged: Settings
  readonly draftChanged: Draft
  readonly intakeProgressed: IntakeProgress | null
  readonly outboxChanged: void
  /** Another process that shares these files has written to them, or has taken or left the right to send. */
  readonly otherProcessWrote: void
  readonly sendingChanged: void
  readonly submissionAccepted: void
  /** Something that a list of the history shows is different now. */
  readonly historyChanged: void
  readonly fetchingChanged: void
  /** The folder whose disk is almost full; null: none is any more. */
  readonly diskChanged: string | null
  /** The disk on which outbox and history are kept has become full or has room again, or their files went or came back. */
  readonly dataDiskChanged: void
  /** A database was damaged: it is kept under this name, and a new one was begun. */
  readonly databaseSetAside: Damage
  /** Each list of the service, whatever is new in it. */
  readonly listRead: JobList
  /** Told after `workFinished`, so that nobody misses a job in the state whose results are not known yet. */
  readonly jobsRead: TrackerUpdate
  /** A piece of work is over, its record is written. Told once for each. */
  readonly workFinished: RecordDetails
}

export type Listener<Fact> = (fact: Fact) => void

export interface Events<Facts> {
  /** What a module is given as its callback: called with the fact, it tells everybody who listens. */
  tell<Name extends keyof Facts>(name: Name): Listener<Facts[Name]>
  /** @returns a function that ends the listening */
  on<Name extends keyof Facts>(name: Name, listener: Listener<Facts[Name]>): () => void
}

export type Log = (event: string, facts: Readonly<Record<string, unknown>>) => void

/** Synchronous, in the order of registration. A listener that throws is logged and keeps nobody else from hearing. */
export function createEvents<Facts extends object>(log: Log): Events<Facts> {
  const listeners: { [Name in keyof Facts]?: Set<Listener<Facts[Name]>> } = {}
  const listenersOf = <Name extends keyof Facts>(name: Name): Set<Listener<Facts[Name]>> =>
    (listeners[name] ??= new Set())

  return {
    tell: (name) => (fact) => {
      for (const listener of listenersOf(name)) {
        try {
          listener(fact)
        } catch (error) {
          log('listener failed', { fact: String(name), error })
        }
      }
    },
    on(name, listener) {
      listenersOf(name).add(listener)
      return () => void listenersOf(name).delete(listener)
    },
  }
}
