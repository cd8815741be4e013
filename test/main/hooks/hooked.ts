/** A history and a hook runner in a folder, in time that only the test advances. */
import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { type KeyStore } from '../../../src/main/connection/index.ts'
import { messageAbout } from '../../../src/main/core/job-message.ts'
import { openHistory } from '../../../src/main/history/index.ts'
import type { Submission } from '../../../src/main/outbox/index.ts'
import {
  createHookRunner,
  createReceiverAddresses,
  createSigningKey,
  usesAfter,
  type HookRunner,
} from '../../../src/main/hooks/index.ts'
import type { Hooks } from '../../../src/shared/model/after-job.ts'
import type { Receiver } from '../../../src/shared/model/receiver.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { once } from '../../../src/shared/once.ts'
import { exampleReport } from '../../../src/shared/model/job-report.ts'
import type { Outcome } from '../../../src/shared/model/job.ts'
import type { Timing } from '../../../src/node/timing.ts'
import { submissionOf } from '../history/sample-records.ts'
import { holdTime } from '../watch/held-time.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'

export const STARTED = 1_760_000_000_000
export const DONE: Outcome = { kind: 'done', results: 1, uploaded: null }

type ChosenHooks = Hooks & { readonly receivers?: readonly Receiver[] }

export type Hooked = ReturnType<typeof openHooked>

type MorePlan = Partial<Submission['plan'] & Pick<Submission, 'title'>>

export type HookedOptions = {
  readonly keyStore?: KeyStore
  readonly awaited?: ReadonlySet<string>
  readonly perFolder?: Readonly<Record<string, Hooks>>
} & Partial<Pick<Parameters<typeof createHookRunner>[0], 'report' | 'message' | 'onProgramEnded'>>

export function openHooked(folder: string, hooks: ChosenHooks, options: HookedOptions = {}) {
  let chosen = hooks
  const held = holdTime()
  let clock = STARTED
  const timing: Timing = { ...held.timing, clock: () => clock, random: () => 0.5 }
  const { keyStore = createSessionKeyStore() } = options
  const hooksFor = (watched: string | null) => ({
    receivers: [],
    ...(options.perFolder?.[watched ?? ''] ?? chosen),
  })
  const history = openHistory({
    file: join(folder, 'history.db'),
    clock: timing.clock,
    log: () => {},
    hooks: {
      actionsAfter: (watched, outcome) => usesAfter(hooksFor(watched), outcome),
      isAwaited: (job) => options.awaited?.has(job) ?? false,
      replacesFrom: (output) => output.startsWith('/vault'),
    },
    onChange: () => runner?.wake(),
  })
  const runner: HookRunner | undefined = createHookRunner({
    queue: history.hooks,
    hooksFor,
    report:
      options.report ??
      (async (job, id) =>
        history.has(job) ? { ...exampleReport(id, new Date(STARTED)), test: false } : undefined),
    message: options.message ?? ((report) => messageAbout(report, 'en')),
    ...(options.onProgramEnded && { onProgramEnded: options.onProgramEnded }),
    key: createSigningKey(keyStore),
    addresses: createReceiverAddresses(keyStore),
    timing,
    log: () => {},
  })
  const close = once(() => runner.stop().then(() => history.close()))
  onTestFinished(close)
  return {
    history,
    runner,
    timing,
    /** Lets time pass for the clock and all timers. */
    pass(ms: number) {
      clock += ms
      held.pass(ms)
    },
    setClock: (ms: number) => void (clock = ms),
    /** Records a submission and its end. */
    end(id: string, outcome = DONE, { title, ...more }: MorePlan = {}) {
      const submission = submissionOf(id, ['/photos/a.jpg'], title, more)
      history.recordSubmission(submission)
      history.recordOutcome(asRecordId(id), outcome, STARTED)
      return asRecordId(id)
    },
    choose(next: ChosenHooks) {
      chosen = next
      runner.wake()
    },
    close,
  }
}

/** Writes a program that runs this shell script. */
export function programIn(folder: string, name: string, script: string): string {
  const path = join(folder, name)
  writeFileSync(path, `#!/bin/sh\n${script}\n`)
  chmodSync(path, 0o700)
  return path
}
