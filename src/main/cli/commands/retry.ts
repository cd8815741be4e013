import { asRecordId } from '../../../shared/model/ids.ts'
import type { Verb } from '../context.ts'
import { combinedExitCode, EXIT } from '../exit-code.ts'
import { openToSend } from '../open-to-send.ts'
import { startDraft, type WaitOptions } from './submit.ts'

/** The failed files of a record once more, as a new submission with the preset and output of before. */
export const retry: Verb<WaitOptions & { readonly id: string; readonly upload: boolean }> = async (
  context,
  { id, ...options },
) => {
  const opened = openToSend(context)
  const { core } = opened
  const record = core.history.details(asRecordId(id))
  const draft = core.history.draftFrom(asRecordId(id), 'failed')
  if (draft !== undefined) return combinedExitCode(await startDraft(context, opened, draft, options))
  context.report.say({
    event: 'notice',
    message:
      record === undefined
        ? `There is no record “${id}”; “history” lists them.`
        : 'No file of this record is known to have failed.',
  })
  return EXIT.failed
}
