import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { HandlerDeps } from './handler-deps.ts'

export const outboxHandlers = ({ core }: HandlerDeps): Handlers['outbox'] => ({
  sendNext(id) {
    core.outbox.sendNext(id)
    core.sender.wake()
  },
  edit: (id) => void core.edit(id),
  remove: (id) => void core.outbox.remove(id),
  restore(id) {
    core.outbox.restore(id)
    core.sender.wake()
  },
  resolve: ({ id, choice }) => void core.sender.resolve(id, choice),
  pause: () => core.pause(),
  resume: () => core.resume(),
})
