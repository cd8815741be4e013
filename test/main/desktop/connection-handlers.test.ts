import type { MessageBoxOptions } from 'electron'
import { expect, test } from 'vitest'
import { createMayReach } from '../../../src/main/desktop/ipc/confirmed-services.ts'
import { connectionHandlers } from '../../../src/main/desktop/ipc/service-handlers.ts'
import { DEFAULT_SETTINGS } from '../../default-settings.ts'
import { createTranslation } from '../../../src/node/translation.ts'

const elsewhere = { baseUrl: 'https://media.example/api', key: 'k' }
const here = { baseUrl: 'http://127.0.0.1:3847/api', key: 'k' }

/** Creates the page's handlers with this button chosen in every dialog, and records their effects. */
function calls(button: number, baseUrl = DEFAULT_SETTINGS.baseUrl) {
  const asked: MessageBoxOptions[] = []
  const reached: string[] = []
  const reach = ({ baseUrl }: { readonly baseUrl: string }) => {
    reached.push(baseUrl)
    return Promise.resolve({ ok: true, version: '1.0.81', storage: 'session' } as const)
  }
  const settings = { view: () => ({ ...DEFAULT_SETTINGS, baseUrl }) } as never
  const dialogs = {
    ask: (options: MessageBoxOptions) => Promise.resolve(asked.push(options) && button),
  } as never
  const { connection: handlers } = connectionHandlers({
    connection: { testKey: reach, useExternal: reach } as never,
    lines: {} as never,
    settings,
    mayReach: createMayReach({ settings, dialogs, t: () => createTranslation('en') }),
  })
  return { handlers, asked, reached }
}

test('an address on another computer is contacted only after the user has seen its name and agreed', async () => {
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

test('a confirmed address doesn’t have to be confirmed again', async () => {
  const { handlers, asked, reached } = calls(1)
  await handlers.test(elsewhere)
  await handlers.useExternal({ ...elsewhere, keep: 'session' })
  expect(reached).toEqual([elsewhere.baseUrl, elsewhere.baseUrl])
  expect(asked).toHaveLength(1)
  await handlers.test({ ...elsewhere, baseUrl: 'https://other.example/api' })
  await handlers.test({ ...elsewhere, baseUrl: 'https://media.example/other' })
  expect(asked).toHaveLength(3)
})

test('the default address and the current one need no confirmation', async () => {
  const inUse = 'http://127.0.0.1:4100/media'
  const { handlers, asked, reached } = calls(0, inUse)
  await handlers.test(here)
  await handlers.test({ ...here, baseUrl: `${inUse}/` })
  expect(reached).toEqual([here.baseUrl, `${inUse}/`])
  expect(asked).toEqual([])
})

test('any other address on this computer needs confirmation, like an address on another computer', async () => {
  const { handlers, asked, reached } = calls(0)
  for (const baseUrl of ['http://127.0.0.1:6379', 'http://localhost:3847/api', 'http://127.0.0.1:3847/other'])
    expect(await handlers.test({ ...here, baseUrl })).toEqual({ ok: false, why: 'notConfirmed' })
  expect(reached).toEqual([])
  expect(asked.map(({ message }) => message)).toEqual([
    'Connect to http://127.0.0.1:6379?',
    'Connect to http://localhost:3847/api?',
    'Connect to http://127.0.0.1:3847/other?',
  ])
})
