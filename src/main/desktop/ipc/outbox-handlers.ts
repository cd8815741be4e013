import type { Handlers } from '../../../shared/ipc/contract.ts'
import type { HandlerDeps } from './handler-deps.ts'

export const outboxHandlers = ({ core }: HandlerDeps): Handlers['outbox'] => ({
  sendNext: (id) => void core.outbox.sendNext(id),
  edit: (id) => void core.drafts.edit(id),
  remove: (id) => void core.outbox.remove(id),
  restore: (id) => void core.outbox.restore(id),
  resolve: ({ id, choice }) => void core.sender.resolve(id, choice),
  pause: () => void core.settings.update({ outboxPaused: true }),
  resume: () => void core.settings.update({ outboxPaused: false }),
})
