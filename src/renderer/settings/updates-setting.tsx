import { useSignal } from '@preact/signals'
import type { UpdateFailure, UpdateState } from '../../shared/model/app-state.ts'
import type { SettingsTranslation } from '../../shared/i18n/i18n.ts'
import { Button, LinkButton } from '../ui/button.tsx'
import { useSettingsView } from '../store/app.ts'
import { Switch } from './setting.tsx'

/** The update status, the available action, and whether Mediatray checks once a day. */
export function UpdatesSetting() {
  const { app, t } = useSettingsView()
  const texts = t.generalSettings
  const update = app.state.update.value
  const answer = useSignal<'busy' | 'byHand' | null>(null)
  const isBusy = (): boolean => app.state.jobs.value.length + app.state.outbox.value.length > 0
  // Hide the reason "busy" once all jobs are done.
  const refused = answer.value === 'busy' && !isBusy() ? null : answer.value

  const ask = async (call: Promise<boolean>): Promise<void> => {
    const begun = await app.attempt(call)
    // This copy could install an update that is ready, so something must be in progress, even without jobs.
    const isPostponed = isBusy() || update.status === 'ready'
    answer.value = begun === false ? (isPostponed ? 'busy' : 'byHand') : null
  }
  const byHand =
    refused === 'byHand' ||
    update.status === 'unsigned' ||
    update.status === 'portable' ||
    (update.status === 'failed' && update.reason === 'badSignature')
  return (
    <div class="setting">
      <span class="label">{texts.updateState}</span>
      <p
        class={`hint ${update.status === 'failed' ? 'error' : ''}`}
        role={update.status === 'downloading' ? undefined : 'status'}
      >
        <span>
          {refused === 'busy' && texts.updateBusy}
          {refused === 'byHand' && texts.updateByHand}
          {refused === null && updateSentence(update, app.facts.version, t)}
          {t.punctuation.betweenSentences}
          {byHand && app.facts.hasHomePage && (
            <LinkButton
              label={texts.releases}
              onPress={() => void app.attempt(app.bridge.app.openLink('homePage'))}
            />
          )}
        </span>
      </p>
      {!neverUpdates(update) && (
        <div class="setting-control">
          <div class="control-row">
            {update.status === 'ready' ? (
              <Button
                label={texts.updateInstall({ version: update.version })}
                onPress={() => void ask(app.bridge.updates.install())}
              />
            ) : (
              <Button
                kind="quiet"
                label={texts.checkNow}
                busy={update.status === 'checking' || update.status === 'downloading'}
                onPress={() => void ask(app.bridge.updates.check())}
              />
            )}
            <span class="hint" aria-hidden="true">
              {texts.updatesHint}
            </span>
            <Switch
              id="checkForUpdates"
              label={texts.updates}
              on={app.state.settings.value.checkForUpdates}
              onChange={(checkForUpdates) => app.choose({ checkForUpdates })}
            />
          </div>
        </div>
      )}
    </div>
  )
}

/** Whether this installation can't update itself. */
export const neverUpdates = ({ status }: UpdateState): boolean =>
  status === 'noSource' || status === 'unsigned' || status === 'portable'

function updateSentence(update: UpdateState, version: string, t: SettingsTranslation): string {
  const texts = t.generalSettings
  switch (update.status) {
    case 'noSource':
      return texts.updateNoSource
    case 'unsigned':
      return texts.updateUnsigned
    case 'portable':
      return texts.updatePortable
    case 'idle':
      return texts.updateNone({ version })
    case 'checking':
      return texts.updateChecking
    case 'available':
      return texts.updateAvailable({ version: update.version })
    case 'downloading':
      return texts.updateDownloading({
        version: update.version,
        percent: t.percent(update.share),
      })
    case 'ready':
      return texts.updateReady({ version: update.version })
    case 'failed': {
      const { reason, detail } = update
      const sentences: Readonly<Record<UpdateFailure, string>> = {
        badSignature: texts.updateBadSignature,
        notReachable: texts.updateNotReachable,
        diskFull: texts.updateDiskFull({ detail }),
        other: texts.updateFailed({ detail }),
      }
      return sentences[reason]
    }
  }
}
