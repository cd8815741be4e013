/** Events of the core, named in the past tense. Only the core uses this list. Modules get callbacks. */
import type { Log } from '../../node/log.ts'
import type { JobList } from '../../shared/api/resources.ts'
import type { ConnectionView } from '../../shared/model/connection.ts'
import type { Draft } from '../../shared/model/draft.ts'
import type { Settings } from '../../shared/model/settings.ts'
import type { HookState } from '../../shared/model/hook-state.ts'
import type { RecordId } from '../../shared/model/ids.ts'
import type { Damage } from '../../shared/model/notice.ts'
import type { PartDetails } from '../../shared/model/job.ts'
import type { Added } from '../intake/index.ts'
import type { TrackerUpdate } from '../jobs/index.ts'

export type CoreEvents = {
  readonly connectionChanged: ConnectionView
  /** The next job list shows which job ended and how. */
  readonly builtInJobEnded: void
  readonly settingsChanged: Settings
  /** The jobs that quiet mode holds back, its reason, or its information about the computer have changed. */
  readonly quietChanged: void
  readonly draftChanged: Draft
  readonly filesAdded: Added
  readonly outboxChanged: void
  readonly sendingChanged: void
  readonly submissionAccepted: void
  readonly historyChanged: void
  readonly fetchingChanged: void
  /** The folder whose disk is almost full; null once no disk is almost full. */
  readonly diskChanged: string | null
  /**
   * The reason why the outbox, the history or the presets of jobs can't be written has changed, or their files disappeared or reappeared.
   */
  readonly dataDiskChanged: void
  /** A damaged database was moved aside under this name and replaced with an empty one. */
  readonly databaseSetAside: Damage
  /** Emitted for every job list, even if it hasn't changed. */
  readonly listRead: JobList
  /** Emitted after `partFinished`, so that listeners find the outcomes of ended jobs already recorded. */
  readonly jobsRead: TrackerUpdate
  /**
   * Originals were replaced, kept, restored or deleted from the vault, or a disk that prevents replacing became full or has space again.
   */
  readonly originalsChanged: void
  /** Another program changed files in the vault. Instead of being deleted, they were moved to these paths. */
  readonly originalsReleased: readonly string[]
  /** A record has ended and its outcome is written. Emitted once per record. */
  readonly partFinished: PartDetails
  /** A submission was removed before it became a job, and its record has ended. */
  readonly partWithdrawn: PartDetails
  /** All originals of an ended record were replaced or kept. Emitted once per record, after `partFinished`. */
  readonly originalsReplaced: PartDetails
  /**
   * All parts of a job have ended, and its originals, if it replaces them, were replaced or kept. The fact contains the first part, with
   * the counts, the end and the problems of all parts.
   */
  readonly jobFinished: PartDetails
  readonly hookTried: HookTried
  /** A line other than the main one was opened or closed, or its state has changed. */
  readonly linesChanged: void
}

/** One attempt to run a job's hook. `nextAt` is null if no retry follows. */
export type HookTried = Pick<HookState, 'action' | 'receiver' | 'result' | 'tries' | 'nextAt'> & {
  readonly job: RecordId
}

export type Listener<Fact> = (fact: Fact) => void

export interface Events<Facts> {
  /** Returns a callback for a module. Calling it passes the fact to all listeners. */
  tell<Name extends keyof Facts>(name: Name): Listener<Facts[Name]>
  /** @returns a function that removes the listener */
  on<Name extends keyof Facts>(name: Name, listener: Listener<Facts[Name]>): () => void
}

/** Calls listeners synchronously in registration order. An error in one is logged and doesn't affect the other listeners. */
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
