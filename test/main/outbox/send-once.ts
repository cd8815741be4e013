import { tmpdir } from 'node:os'
import { aliasesIn } from '../aliases/test-aliases.ts'
import type { Answers } from '../../../src/main/outbox/answers.ts'
import type { Outbox } from '../../../src/main/outbox/index.ts'
import { createSubmissionSending, type Sending } from '../../../src/main/outbox/send-submission.ts'
import type { SendingService } from '../../../src/main/outbox/sending-service.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'

type How = {
  readonly maySend?: () => boolean
  readonly stopping?: AbortSignal
  readonly onChange?: (now: Sending) => void
  readonly keepPreset?: () => Promise<string>
}

/** Sends the outbox's first submission, `r1`. */
export function sendOnce(outbox: Outbox, answers: Answers, service: SendingService, how: How = {}) {
  const submission = outbox.get(asRecordId('r1'))
  if (submission === undefined) throw new Error('the outbox has no submission')
  const sending = createSubmissionSending({
    outbox,
    answers,
    clock: () => 1_000,
    sizeOf: async () => 4,
    keepPreset: how.keepPreset,
    aliases: aliasesIn(tmpdir()),
    maySend: how.maySend ?? (() => true),
    onList: () => undefined,
    onUnknown: () => undefined,
    stopping: how.stopping ?? new AbortController().signal,
    onChange: () => how.onChange?.(sending.now()),
    log: () => undefined,
  })
  return sending.send(submission, service)
}
