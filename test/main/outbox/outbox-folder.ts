import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { openOutbox, type Outbox } from '../../../src/main/outbox/index.ts'
import { asRecordId } from '../../../src/shared/model/ids.ts'
import { temporaryFolder } from '../../temporary-folder.ts'

/** A temporary folder for outboxes, which are closed when the test has finished. Their ids are r1, r2 and so on. */
export function outboxFolder(options: Partial<Parameters<typeof openOutbox>[0]> = {}) {
  const folder = temporaryFolder()
  const file = join(folder, 'outbox.db')
  let ids = 0
  const nextId = () => asRecordId(`r${(ids += 1)}`)

  function open(): Outbox {
    const outbox = openOutbox({ file, clock: () => 1_000, ids: nextId, ...options })
    const { close: closeFile } = outbox
    let isOpen = true
    const close = () => {
      if (isOpen) closeFile()
      isOpen = false
    }
    onTestFinished(close)
    return Object.assign(outbox, { close })
  }
  return { folder, file, open }
}
