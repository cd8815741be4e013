import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { Settings, SettingsPatch } from '../../shared/model/settings.ts'

/**
 * Shows a choice immediately and keeps it until the main process responds. Otherwise, the response to an earlier choice would reset a
 * control that the user has just changed. A group such as `notifications` is saved as a whole, so a change based on old settings would undo
 * the previous change to the group.
 */
export function createChosenSettings(
  bridge: { readonly settings: Pick<Bridge['settings'], 'update'> },
  heard: ReadonlySignal<Settings>,
) {
  const waiting = signal<readonly SettingsPatch[]>([])
  /** The newest response, used until the change event arrives, which takes a moment longer. */
  const answered = signal<Settings | null>(null)
  effect(() => {
    void heard.value
    answered.value = null
  })

  return {
    /** The main process's settings, with pending choices applied. */
    settings: computed((): Settings => Object.assign({}, answered.value ?? heard.value, ...waiting.value)),
    /** Applies a choice. Reverts it and rejects with an `IpcError` if it couldn't be saved. */
    async change(patch: SettingsPatch): Promise<void> {
      waiting.value = [...waiting.peek(), patch]
      let answer: Settings | null = null
      try {
        answer = await bridge.settings.update(patch)
      } finally {
        batch(() => {
          waiting.value = waiting.peek().filter((other) => other !== patch)
          if (answer !== null) answered.value = answer
        })
      }
    },
  }
}
