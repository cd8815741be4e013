import { signal } from '@preact/signals'
import { expect, test } from 'vitest'
import { createChosenSettings } from '../../src/renderer/store/chosen-settings.ts'
import type { Bridge } from '../../src/shared/ipc/contract.ts'
import { DEFAULT_SETTINGS } from '../default-settings.ts'
import type { Settings, SettingsPatch } from '../../src/shared/model/settings.ts'

type Asked = {
  readonly patch: SettingsPatch
  readonly answer: (settings: Settings) => void
  readonly refuse: (reason: Error) => void
}

function choosing() {
  const heard = signal<Settings>({ ...DEFAULT_SETTINGS, startAtLogin: false })
  const asked: Asked[] = []
  const update: Bridge['settings']['update'] = (patch) =>
    new Promise((answer, refuse) => asked.push({ patch, answer, refuse }))
  const chosen = createChosenSettings({ settings: { update } }, heard)
  const shown = () => chosen.settings.value
  const at = (index: number): Asked => {
    const one = asked[index]
    if (one === undefined) throw new Error(`Nothing was requested ${index + 1} times`)
    return one
  }
  return { heard, chosen, shown, at }
}

test('a choice is shown before it is confirmed', () => {
  const { chosen, shown } = choosing()
  void chosen.change({ startAtLogin: true })
  expect(shown().startAtLogin).toBe(true)
})

test('an update about an earlier choice does not undo a later one', async () => {
  const { heard, chosen, shown, at } = choosing()
  const on = chosen.change({ startAtLogin: true })
  const off = chosen.change({ startAtLogin: false })
  heard.value = { ...heard.value, startAtLogin: true }
  expect(shown().startAtLogin).toBe(false)
  at(0).answer(heard.value)
  await on
  expect(shown().startAtLogin).toBe(false)
  at(1).answer({ ...heard.value, startAtLogin: false })
  await off
  expect(shown().startAtLogin).toBe(false)
})

test('a response that precedes its update is shown, and later updates apply again', async () => {
  const { heard, chosen, shown, at } = choosing()
  const on = chosen.change({ startAtLogin: true })
  at(0).answer({ ...heard.value, startAtLogin: true })
  await on
  expect(shown().startAtLogin).toBe(true)
  heard.value = { ...heard.value, startAtLogin: true }
  heard.value = { ...heard.value, startAtLogin: false }
  expect(shown().startAtLogin).toBe(false)
})

test('two notification settings that are changed at the same time are both kept', () => {
  const { chosen, shown, at } = choosing()
  const choose = (kind: 'done' | 'failed') => {
    void chosen.change({ notifications: { ...shown().notifications, [kind]: false } })
  }
  choose('done')
  choose('failed')
  expect(at(1).patch.notifications).toMatchObject({ done: false, failed: false })
})

test('a choice that can’t be saved is reverted, and the reason is shown', async () => {
  const { chosen, shown, at } = choosing()
  const choice = chosen.change({ startAtLogin: true })
  at(0).refuse(new Error('The disk is full'))
  await expect(choice).rejects.toThrow('The disk is full')
  expect(shown().startAtLogin).toBe(false)
})
