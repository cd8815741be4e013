import type { MessageBoxOptions } from 'electron'
import { expect, test } from 'vitest'
import { connectionHandlers } from '../../../src/main/desktop/ipc/service-handlers.ts'
import { DEFAULT_SETTINGS } from '../../../src/shared/model/settings.ts'
import { createTranslation } from '../../../src/shared/i18n/i18n.ts'

const elsewhere = { baseUrl: 'https://media.example/api', key: 'k' }
const here = { baseUrl: 'http://127.0.0.1:3847/api', key: 'k' }

/** The page's calls, and what they lead to. */
function calls(button: number) {
  const asked: MessageBoxOptions[] = []
  const reached: string[] = []
  const reach = ({ baseUrl }: { readonly baseUrl: string }) => {
    reached.push(baseUrl)
    return Promise.resolve({ ok: true, version: '1.0.81', storage: 'session' } as const)
  }
  const handlers = connectionHandlers({
    connection: { testKey: reach, useExternal: reach } as never,
    settings: { view: () => DEFAULT_SETTINGS } as never,
    dialogs: { ask: (options) => Promise.resolve(asked.push(options) && button) },
    t: () => createTranslation('en'),
  })
  return { handlers, asked, reached }
}

test('an address on another computer is reached only after a person has read its name and said yes', async () => {
  const { handlers, asked, reached } = calls(0)
  expect(await handlers.test(elsewhere)).toEqual({ ok: false, why: 'notConfirmed' })
  expect(await handlers.useExternal({ ...elsewhere, keep: 'session' })).toEqual({
    ok: false,
    why: 'notConfirmed',
  })
  expect(reached).toEqual([])
  expect(asked[0]?.message).toContain('media.example')
  expect(asked[0]?.defaultId).toBe(asked[0]?.cancelId)
})

test('who has said yes is not asked again for that computer', async () => {
  const { handlers, asked, reached } = calls(1)
  await handlers.test(elsewhere)
  await handlers.useExternal({ ...elsewhere, keep: 'session' })
  expect(reached).toEqual([elsewhere.baseUrl, elsewhere.baseUrl])
  expect(asked).toHaveLength(1)
  await handlers.test({ ...elsewhere, baseUrl: 'https://other.example/api' })
  expect(asked).toHaveLength(2)
})

test('this computer needs no question', async () => {
  const { handlers, asked, reached } = calls(0)
  await handlers.test(here)
  expect(reached).toEqual([here.baseUrl])
  expect(asked).toEqual([])
})
