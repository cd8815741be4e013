import { useSignal } from '@preact/signals'
import type { UpdateFailure, UpdateState } from '../../shared/model/update.ts'
import type { WindowWords } from '../../shared/i18n/window-i18n.ts'
import type { CommonWording } from '../../shared/i18n/index.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { useApp, useWords } from '../store/app.ts'

/** Where the app stands with a new version of itself, and what can be done about it. */
export function UpdatesSetting() {
  const app = useApp()
  const { w, wording } = useWords()
  const says = w.generalSettings
  const update = app.state.update.value
  const answer = useSignal<'busy' | 'byHand' | null>(null)
  const isBusy = (): boolean => app.state.jobs.value.length + app.state.outbox.value.length > 0
  // It holds only as long as there is work.
  const refused = answer.value === 'busy' && !isBusy() ? null : answer.value

  const ask = async (call: Promise<boolean>): Promise<void> => {
    const begun = await app.attempt(call)
    answer.value = begun === false ? (isBusy() ? 'busy' : 'byHand') : null
  }
  const byHand = refused === 'byHand' || (update.status === 'failed' && update.reason === 'badSignature')
  return (
    <div class="set">
      <span class="label">{says.updateState}</span>
      <p
        class={`hint ${update.status === 'failed' ? 'bad' : ''}`}
        role={update.status === 'downloading' ? undefined : 'status'}
      >
        <span>
          {refused === 'busy' && says.updateBusy}
          {refused === 'byHand' && says.updateByHand}
          {refused === null && updateSentence(update, app.facts.version, w, wording)}{' '}
          {byHand && (
            <LinkButton
              label={says.releases}
              onPress={() => void app.attempt(app.bridge.app.openLink('releases'))}
            />
          )}
        </span>
      </p>
      <div class="control">
        {update.status === 'ready' ? (
          <Button
            label={says.updateInstall({ version: update.version })}
            onPress={() => void ask(app.bridge.updates.install())}
          />
        ) : (
          <Button
            label={says.checkNow}
            disabled={update.status === 'checking' || update.status === 'downloading'}
            onPress={() => void ask(app.bridge.updates.check())}
          />
        )}
      </div>
    </div>
  )
}

function updateSentence(
  update: UpdateState,
  version: string,
  w: WindowWords,
  wording: CommonWording,
): string {
  const says = w.generalSettings
  switch (update.status) {
    case 'idle':
      return says.updateNone({ version })
    case 'checking':
      return says.updateChecking
    case 'available':
      return says.updateAvailable({ version: update.version })
    case 'downloading':
      return says.updateDownloading({
        version: update.version,
        percent: wording.percent(update.share),
      })
    case 'ready':
      return says.updateReady({ version: update.version })
    case 'failed':
      return failureSentence(update.reason, update.detail, w)
  }
}

function failureSentence(reason: UpdateFailure, detail: string, w: WindowWords): string {
  const says = w.generalSettings
  switch (reason) {
    case 'badSignature':
      return says.updateBadSignature
    case 'notReachable':
      return says.updateNotReachable
    case 'other':
      return says.updateFailed({ detail })
  }
}
