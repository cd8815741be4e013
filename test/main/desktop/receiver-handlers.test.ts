import { join } from 'node:path'
import { expect, it } from 'vitest'
import { receiverHandlers } from '../../../src/main/desktop/ipc/receiver-handlers.ts'
import { createReceiverAddresses, createSigningKey } from '../../../src/main/hooks/index.ts'
import { createSettings, openSettingsFile } from '../../../src/main/settings/settings.ts'
import { createTranslation } from '../../../src/node/translation.ts'
import { calls } from '../../../src/shared/ipc/contract.ts'
import { NO_HOOKS } from '../../../src/shared/model/after-job.ts'
import type { KeyStore } from '../../../src/main/connection/index.ts'
import { createSessionKeyStore } from '../connection/session-key-store.ts'
import { openHooked } from '../hooks/hooked.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

const t = () => createTranslation('en')
const ADDRESS = { url: 'https://ntfy.sh/my-topic', token: 'tk_secret', mayBeUnencrypted: false }
const PHONE = { id: null, format: 'ntfy', address: ADDRESS } as const

function open(keyStore: KeyStore = createSessionKeyStore()) {
  const folder = temporaryFolder()
  const settings = createSettings(openSettingsFile(join(folder, 'settings.json')))
  const { runner, history } = openHooked(folder, NO_HOOKS, { keyStore })
  const addresses = createReceiverAddresses(keyStore)
  const hooks = { ...runner, signingKey: createSigningKey(keyStore), addresses }
  return { settings, addresses, handlers: receiverHandlers({ settings, history, hooks, t }) }
}

it('keeps the address and the token in the keychain, and only the host in the settings', async () => {
  const { settings, addresses, handlers } = open()
  await handlers.save(PHONE)
  const [saved] = settings.view().receivers
  expect(saved).toEqual({ id: expect.any(String), format: 'ntfy', host: 'ntfy.sh' })
  const id = saved?.id ?? ''
  const { url, token } = ADDRESS
  expect(await addresses.read(id)).toEqual({ ok: true, value: { url, token } })
  await handlers.save({ id, format: 'ntfy', address: null, on: ['failed'] })
  expect(settings.view().receivers).toEqual([{ ...saved, on: ['failed'] }])
  expect(await addresses.read(id)).toEqual({ ok: true, value: { url, token } })
  expect(await handlers.status()).toEqual({ [id]: { isRunning: false, last: null } })
  await handlers.remove(id)
  expect(settings.view().receivers).toEqual([])
  expect(await addresses.read(id)).toEqual({ ok: true, value: null })
})

it('changes nothing without a keychain', async () => {
  const { settings, handlers } = open({
    ...createSessionKeyStore(),
    write: async () => ({ ok: false, trouble: 'missing' }),
  })
  await expect(handlers.save(PHONE)).rejects.toMatchObject({ code: 'keychain' })
  expect(settings.view().receivers).toEqual([])
})

it.each([
  ['http://192.168.1.10/topic', false, false],
  ['http://192.168.1.10/topic', true, true],
  ['http://ntfy.sh/topic', true, false],
  ['https://ntfy.sh/topic', false, true],
])('a page can set %s, unencrypted if confirmed (%s): %s', (url, mayBeUnencrypted, isAccepted) => {
  const change = { ...PHONE, address: { url, token: '', mayBeUnencrypted } }
  expect(calls.receivers.save.argument.safeParse(change).success).toBe(isAccepted)
})
