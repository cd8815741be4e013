/** Handles the page's calls about who gets a message after jobs. */
import { randomUUID } from 'node:crypto'
import type { Handlers } from '../../../shared/ipc/contract.ts'
import { MAX_RECEIVERS, type Receiver } from '../../../shared/model/receiver.ts'
import type { Kept } from '../../connection/index.ts'
import type { HookTarget } from '../../hooks/index.ts'
import { UserFacingError } from '../user-facing-error.ts'
import type { Page } from './page.ts'

const targetOf = (receiver: Receiver): HookTarget => ({ action: 'message', receiver })

type ReceiverPage = Pick<Page, 'settings' | 'history' | 'hooks' | 't'>

export function receiverHandlers({ settings, history, hooks, t }: ReceiverPage): Handlers['receivers'] {
  const all = (): readonly Receiver[] => settings.view().receivers
  const found = (id: string): Receiver | undefined => all().find((receiver) => receiver.id === id)

  function requireKept(kept: Kept<void>): void {
    if (kept.ok) return
    const { error } = t()
    throw new UserFacingError(
      'keychain',
      kept.trouble === 'locked' ? error.addressLocked : error.addressMissing,
    )
  }

  return {
    status: () =>
      Object.fromEntries(
        all().map((receiver) => {
          const { isRunning, last } = hooks.status(targetOf(receiver))
          return [receiver.id, { isRunning, last }]
        }),
      ),
    async save({ id, format, on, address }) {
      const known = id === null ? undefined : found(id)
      if (id !== null && known === undefined) return
      const host = address === null ? known?.host : new URL(address.url).host
      if (host === undefined || (known === undefined && all().length >= MAX_RECEIVERS)) return
      const receiver = { id: id ?? randomUUID(), format: known?.format ?? format, host, ...(on && { on }) }
      if (address !== null) {
        const { url, token } = address
        requireKept(await hooks.addresses.write(receiver.id, { url, token }))
      }
      // Another change may have been saved while the keychain was busy.
      const others = all().some((one) => one.id === receiver.id)
      settings.update({
        receivers: others
          ? all().map((one) => (one.id === receiver.id ? receiver : one))
          : [...all(), receiver],
      })
    },
    async remove(id) {
      settings.update({ receivers: all().filter((receiver) => receiver.id !== id) })
      await hooks.addresses.remove(id)
    },
    async test(id) {
      const receiver = found(id)
      if (receiver !== undefined) await hooks.test(targetOf(receiver))
    },
    tryNow(id) {
      const receiver = found(id)
      const job = receiver === undefined ? null : hooks.status(targetOf(receiver)).job
      if (job !== null) history.hooks.again(job, { action: 'message', receiver: id })
    },
  }
}
