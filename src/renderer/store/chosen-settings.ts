import { batch, computed, effect, signal, type ReadonlySignal } from '@preact/signals'
import type { Bridge } from '../../shared/ipc/contract.ts'
import type { Settings, SettingsPatch } from '../../shared/model/settings.ts'

export type ChosenSettings = {
  /** As the main process has them, and over them what was chosen here and is not answered yet. */
  readonly settings: ReadonlySignal<Settings>
  /** Rejects with the `IpcError` of a choice that cannot be kept; it is then as it was. */
  change(patch: SettingsPatch): Promise<void>
}

/**
 * What is chosen shows at once and stays until it is answered. Without this, news of an earlier choice would set a control back
 * under the hand that has just used it, and a choice made from what is shown (one of several notifications) would undo the one
 * before it.
 */
export function createChosenSettings(
  bridge: Pick<Bridge, 'settings'>,
  heard: ReadonlySignal<Settings>,
): ChosenSettings {
  const waiting = signal<readonly SettingsPatch[]>([])
  /** The newest answer, until something newer is heard: changes are told after a moment, answers at once. */
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
