import { randomUUID } from 'node:crypto'
import { copyFile, mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import type { Core } from '../../../src/main/core/index.ts'
import type { Events } from '../../../src/shared/ipc/contract.ts'
import { asRecordId, type RecordId } from '../../../src/shared/model/ids.ts'
import type { Outcome, PartTitle } from '../../../src/shared/model/job.ts'
import { openTestCore, samples } from '../core/open-core.ts'
import { temporaryFolder } from '../../temporary-folder.ts'
import { acceptance, submissionOf } from '../history/sample-records.ts'

/** A core that isn't connected to any service, with a folder of photos. */
export async function offlineCore() {
  const folder = temporaryFolder()
  const core = await openTestCore(folder)
  onTestFinished(() => core.close())
  const photos = join(folder, 'photos')
  await mkdir(photos)
  return {
    core,
    folder,
    photo: async (name: string): Promise<string> => {
      await copyFile(join(samples, 'dawn-upright.jpg'), join(photos, name))
      return join(photos, name)
    },
    text: async (name: string): Promise<string> => {
      await writeFile(join(photos, name), 'no photo')
      return join(photos, name)
    },
  }
}

/**
 * Adds a finished job to the history, with these files as inputs, `folder` as its output folder and `results` as its reported
 * results.
 */
export function recordEnded(
  core: Core,
  inputs: readonly string[],
  outcome: Outcome,
  results: readonly string[] = [],
  folder?: string,
  part: Partial<Pick<PartTitle, 'id' | 'place'>> = {},
): RecordId {
  const { id = asRecordId(`r_${randomUUID()}`) } = part
  const output = folder === undefined ? {} : { output: { kind: 'folder', path: folder } as const }
  const given = { ...output, ...part }
  void core.history.recordAcceptedSubmission(submissionOf(id, inputs, given), acceptance)
  core.history.recordResults(
    id,
    results.map((outputPath, index) => ({ file: inputs[index] ?? '', outputPath, index })),
    [],
  )
  core.history.recordOutcome(id, outcome, Date.now())
  return id
}

/** A window that records requests to show itself and messages to its page. */
export function recordingWindow() {
  const asked: unknown[] = []
  return {
    asked,
    window: {
      show: () => void asked.push('show'),
      isVisible: () => false,
      send: (name: keyof Events, event: Events[keyof Events]) => void asked.push([name, event]),
      showAnd: (name: keyof Events, event: Events[keyof Events]) => void asked.push('show', [name, event]),
    },
  }
}
