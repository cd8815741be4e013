/** Decides which jobs an assistant may see. Every tool and resource gets its jobs from here. */
import { isInVault } from '../../../shared/model/replacement.ts'
import type { Access } from './access.ts'
import type { AssistantSession } from './assistant-session.ts'
import { readJob, type ReadJob, unknownJob } from './read-job.ts'

/**
 * Whether the assistant may see a job: assistants submitted it, or all its inputs and results are in allowed folders. Hides other jobs that
 * use a drive, because their files aren't known here.
 */
function isShown(access: Access, { isAssistants, parts }: ReadJob): boolean {
  if (isAssistants) return true
  return parts.every(({ title, record, submission }) => {
    const inputs = record?.inputs ?? submission?.plan.items ?? []
    const { output } = title
    if (inputs.length === 0 || output === null || output.kind === 'drive') return false
    const results = (record?.results ?? []).map(({ outputPath }) => outputPath)
    // Results that replace originals wait in a vault, which isn't shown, and then move to the folders of the originals.
    const places = output.kind === 'folder' ? [output.path, ...results] : results
    return access.mayName(
      inputs.map(({ path }) => path),
      places.filter((place) => !isInVault(place)),
    )
  })
}

/** Reads a job that the assistant may see. @throws Refused for any other job, with the same message as for a job that doesn't exist */
export function visibleJob(
  { context, access }: Pick<AssistantSession, 'context' | 'access'>,
  text: string,
): ReadJob {
  access.settings()
  const job = readJob(context.line, text)
  if (isShown(access, job)) return job
  throw unknownJob(text)
}

export const visibleJobs = (
  { context, access }: Pick<AssistantSession, 'context' | 'access'>,
  records: readonly { readonly id: string }[],
): readonly ReadJob[] =>
  records.map(({ id }) => readJob(context.line, id)).filter((job) => isShown(access, job))
