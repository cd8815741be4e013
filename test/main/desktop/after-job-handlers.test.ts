import { join } from 'node:path'
import { expect, it } from 'vitest'
import { afterJobHandlers } from '../../../src/main/desktop/ipc/after-job-handlers.ts'
import { createChosenPrograms } from '../../../src/main/desktop/ipc/chosen-programs.ts'
import { createReceiverAddresses, createSigningKey } from '../../../src/main/hooks/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { calls } from '../../../src/shared/ipc/contract.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { NO_HOOKS } from '../../../src/shared/model/after-job.ts'
import { JobReport } from '../../../src/shared/model/job-report.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { openHooked, programIn } from '../hooks/hooked.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'

const t = () => createTranslation('en')

/** Handlers for a user who picks this file in each dialog. */
function open(folder: string, picked: string) {
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const keyStore = createSessionKeyStore()
  const { runner, history } = openHooked(folder, NO_HOOKS, { keyStore })
  const copied: string[] = []
  const dialogs = { askToOpen: () => Promise.resolve([picked]) } as never
  const signingKey = createSigningKey(keyStore)
  const programs = createChosenPrograms({ dialogs, settings, t })
  const clipboard = { writeText: async (text: string) => void copied.push(text) }
  const hooks = { ...runner, signingKey, addresses: createReceiverAddresses(keyStore) }
  const handlers = afterJobHandlers({ settings, history, hooks, programs, clipboard, t })
  return { settings, programs, handlers, copied, signingKey }
}

it('a page can’t set a program that wasn’t chosen in the dialog, also not for a watched folder', async () => {
  const folder = temporaryFolder()
  const program = programIn(folder, 'hook', 'exit 0')
  const { settings, programs, handlers } = open(folder, program)
  const wanted = { program, url: null }
  expect(() => handlers.set(wanted)).toThrow(expect.objectContaining({ code: 'programNotChosen' }))
  expect(() => programs.requireHooks(wanted)).toThrow(expect.objectContaining({ code: 'programNotChosen' }))
  expect(await handlers.chooseProgram()).toBe(program)
  await handlers.set({ url: 'https://example.org/' })
  await handlers.set({ program })
  expect(settings.view().afterJob).toEqual({ program, url: 'https://example.org/' })
  await handlers.set(wanted)
  expect(settings.view().afterJob).toEqual(wanted)
  programs.requireHooks(wanted)
})

it.each(['http://example.org/', 'ftp://example.org/', 'https://ada:secret@example.org/', 'hooks'])(
  'a page can’t set the URL %s',
  (url) => {
    expect(calls.afterJob.set.argument.safeParse({ program: null, url }).success).toBe(false)
  },
)

it('tests the chosen program, and shows how the test ended', async () => {
  const folder = temporaryFolder()
  const { handlers } = open(folder, programIn(folder, 'hook', 'exit 4'))
  expect(await handlers.status()).toEqual({ program: null, url: null })
  await handlers.set({ program: await handlers.chooseProgram(), url: null })
  await handlers.test('program')
  expect(await handlers.status()).toMatchObject({
    program: { isRunning: false, last: { isTest: true, result: { kind: 'exited', code: 4 } } },
    url: null,
  })
})

it('copies the example and the signing key, which the page doesn’t get', async () => {
  const folder = temporaryFolder()
  const { handlers, copied, signingKey } = open(folder, '')
  await handlers.copyExample()
  expect(JobReport.parse(JSON.parse(copied[0] ?? '')).test).toBe(true)
  expect(await handlers.copyKey()).toBeUndefined()
  const key = await signingKey.read()
  expect(copied[1]).toBe(key.ok && key.value)
})
