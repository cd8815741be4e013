/** Reads the records whose jobs the next owner of the file continues. */
import type { RecordId } from '../../shared/model/ids.ts'
import type { HistoryFile } from './history-file.ts'
import { titleIn } from './read-records.ts'

/** The number of records whose outcome can be written within one display frame. */
const RECORDS_PER_TICK = 40

export const unfinishedRecords = ({ read }: HistoryFile) => ({
  /** Returns jobs that were unfinished when last read, oldest first. Leaves out jobs whose details are lost. */
  unfinished: () =>
    read((tables) =>
      tables.records.where`outcome IS NULL AND removedAt IS NULL AND jobId IS NOT NULL ORDER BY seq`.flatMap(
        (row) => {
          const { jobId, baseUrl, service: connection, jobCreatedAt, remote } = row
          const details = tables.details.only('inputs', 'skipped', 'facts').get({ seq: row.seq })
          if (jobId === null || baseUrl === null || connection === null || details === undefined) return []
          const { inputs, skipped, facts } = details
          const { acceptedAt } = facts
          const job = { jobId, baseUrl, connection, jobCreatedAt, remote, acceptedAt, skipped }
          return { title: titleIn(row), ...job, inputs: inputs.map(({ path }) => path) }
        },
      ),
    ),
  /** Returns jobs without an outcome, oldest first. */
  openJobs: () =>
    read(({ records }) =>
      records.only('id', 'service')
        .where`outcome IS NULL AND removedAt IS NULL AND jobId IS NOT NULL ORDER BY seq`.map(
        ({ id, service }) => ({ id, connection: service }),
      ),
    ),
  /**
   * Returns records without an outcome and without a job, oldest first. The pages are small, so that the caller can yield to the
   * event loop in between.
   */
  *withoutJob(): Generator<readonly RecordId[]> {
    for (let after: number | undefined = -1; after !== undefined;) {
      const from: number = after
      const page = read(
        ({ records }) =>
          records.only('seq', 'id')
            .where`seq > ${from} AND outcome IS NULL AND removedAt IS NULL AND jobId IS NULL
            ORDER BY seq LIMIT ${RECORDS_PER_TICK}`,
      )
      yield page.map(({ id }) => id)
      after = page.at(-1)?.seq
    }
  },
  /** Returns jobs without an outcome whose results must be downloaded, and the folder for them. */
  toFetch: (): readonly { readonly id: RecordId; readonly output: string }[] =>
    read(({ records }) =>
      records.only('id', 'output').where`outcome IS NULL AND removedAt IS NULL AND remote = 1`.flatMap(
        ({ id, output }) => (output?.kind === 'folder' ? { id, output: output.path } : []),
      ),
    ),
  /**
   * Returns what sending a submission again needs: how many times in a row it was sent again without any result, whether its results must
   * be downloaded, and the `mount` and `presetHash` fields of its plan.
   */
  sending: (id: RecordId) =>
    read(({ records }) => {
      const row = records.only('resent', 'remote', 'mount', 'presetHash').get({ id })
      const { resent = 0, remote: isRemote = false, mount, presetHash } = row ?? {}
      return { resent, isRemote, mount: mount ?? undefined, presetHash: presetHash ?? undefined }
    }),
})
