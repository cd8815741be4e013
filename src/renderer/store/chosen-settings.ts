import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { Settings, SettingsPatch } from '../../shared/model/settings.ts'

export type ChosenSettings = {
  /** The main process's settings, with pending choices applied. */
  readonly settings: ReadonlySignal<Settings>
  /** Applies a choice. Reverts it and rejects with an `IpcError` if it couldn't be saved. */
  change(patch: SettingsPatch): Promise<void>
}

/**
 * Shows a choice immediately and keeps it until the main process responds. Otherwise, the response to an earlier choice would reset a
 * control that the user has just changed. A group such as `notifications` is saved as a whole, so a change to the group would undo the
 * previous one.
 */
export function createChosenSettings(
  bridge: { readonly settings: Pick<Bridge['settings'], 'update'> },
  heard: ReadonlySignal<Settings>,
): ChosenSettings {
  const waiting = signal<readonly SettingsPatch[]>([])
  /** The newest response, used until the change event arrives, which takes a moment longer. */
  const answered = signal<Settings | null>(null)
  effect(() => {
    void heard.value
    answered.value = null
  })

  return {
    settings: computed(() => Object.assign({}, answered.value ?? heard.value, ...waiting.value)),
    async change(patch) {
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
