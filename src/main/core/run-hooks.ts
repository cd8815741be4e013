/** Connects the actions that run after jobs with the settings, the outbox and the history. */
import { messageOf } from '../../node/errors.ts'
import type { Settings as SettingsValue } from '../../shared/model/settings.ts'
import type { KeyStore } from '../connection/index.ts'
import type { HookRules } from '../history/index.ts'
import {
  createHookRunner,
  createReceiverAddresses,
  createSigningKey,
  usesAfter,
  type AfterJob,
  type HookRunner,
  type ReceiverAddresses,
  type SigningKey,
} from '../hooks/index.ts'
import { isVaultOutput } from '../vault/index.ts'
import { messageAbout } from './job-message.ts'
import { reportOf } from './job-report.ts'
import type { Modules } from './modules.ts'
import { noteSavedResults, type ProcessedFiles } from '../watch/index.ts'

export type RunningHooks = Omit<HookRunner, 'wake'> & {
  readonly signingKey: SigningKey
  readonly addresses: ReceiverAddresses
}

/** Returns the rules by which the history decides which hook actions follow a job. */
export const hookRules = ({
  settings,
  outbox,
}: {
  readonly settings: Pick<Modules['settings'], 'view'>
  readonly outbox: Pick<Modules['outbox'], 'partsOf'>
}): HookRules => ({
  actionsAfter: (watched, outcome) => usesAfter(hooksFor(settings.view(), watched), outcome),
  isAwaited: (job) => outbox.partsOf(job).length > 0,
  replacesFrom: isVaultOutput,
})

export function runHooks(
  modules: Pick<Modules, 'events' | 'settings' | 'history' | 'timing' | 'log'> & {
    readonly processed: ProcessedFiles
  },
  keyStore: KeyStore | undefined,
): RunningHooks {
  const { events, settings, history, processed, timing, log } = modules
  const signingKey = createSigningKey(keyStore)
  const addresses = createReceiverAddresses(keyStore)
  const watchedPath = (id: string): string | undefined =>
    settings.view().watchFolders.find((folder) => folder.id === id)?.path
  const runner = createHookRunner({
    ...modules,
    queue: history.hooks,
    hooksFor: (watched) => hooksFor(settings.view(), watched),
    report: (job, id) => reportOf(job, id, { history, watchedPath }),
    message: (report) => messageAbout(report, settings.view().language),
    key: signingKey,
    addresses,
    onTried: events.tell('hookTried'),
    // A result that a program has changed is still a result.
    onProgramEnded: (results) =>
      noteSavedResults(processed, results, timing.clock).catch((error: unknown) =>
        log('changed results not noted', { error: messageOf(error) }),
      ),
  })
  const stops = (['historyChanged', 'settingsChanged'] as const).map((change) =>
    events.on(change, runner.wake),
  )
  return {
    ...runner,
    signingKey,
    addresses,
    stop() {
      for (const stop of stops) stop()
      return runner.stop()
    },
  }
}

/**
 * Returns the actions that run after a watched folder's jobs: the folder's own or, if it has none or was removed, the general ones. A
 * folder with its own program or URL still sends messages, because each receiver has its own setting for outcomes. If the folder has its
 * own actions but neither a program nor a URL, nothing runs and no messages are sent.
 */
function hooksFor({ watchFolders, afterJob, receivers }: SettingsValue, watched: string | null): AfterJob {
  const own = watchFolders.find(({ id }) => id === watched)?.afterJob
  if (own === undefined) return { ...afterJob, receivers }
  return { ...own, receivers: own.program === null && own.url === null ? [] : receivers }
}
