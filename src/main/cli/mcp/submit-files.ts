/** Submits files for an assistant, through the outbox like any other job. */
import type { Draft } from '../../../shared/model/draft.ts'
import { MAX_PRESETS } from '../../../shared/model/draft.ts'
import { shownText } from '../../../shared/paths.ts'
import { connectionLine } from '../../../shared/i18n/sentences.ts'
import { draftProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import { t } from '../output/language.ts'
import { Refused } from './access.ts'
import { type Data, someOf } from './answer.ts'
import type { AssistantRequest, AssistantSession } from './assistant-session.ts'
import { findInputs, reasonOf } from './find-inputs.ts'
import { presetsOf, requirePreset } from './presets.ts'

/** Adds one job to the outbox. Doesn't wait for it. */
export async function submitFiles(
  session: AssistantSession,
  {
    files,
    preset,
    output,
  }: {
    readonly files: readonly string[]
    readonly preset?: string | undefined
    readonly output?: string | undefined
  },
  request: AssistantRequest,
): Promise<Data> {
  const { access, context } = session
  const settings = access.settings()
  const folder = await access.output(output)
  const { items, rejected } = await findInputs(session, files, request)
  const presets = preset === undefined ? (settings.defaultPresets ?? []) : [preset]
  if (presets.length > 0) {
    const known = await presetsOf(context, request.signal)
    const kinds = new Set(items.map(({ kind }) => kind))
    for (const name of presets.slice(0, MAX_PRESETS))
      requirePreset(name, presets.length > 1 ? new Set() : kinds, known)
  }
  const draft: Draft = {
    source: { kind: 'files', items },
    rejected: [],
    presets,
    presetFolders: true,
    done: 'again',
    output: { kind: 'folder', path: folder },
    variations: 1,
    grouping: 'together',
    editing: null,
  }
  const job = await startForAssistant(session, draft)
  const { listed, more } = someOf(rejected.map(reasonOf))
  return {
    job,
    files: items.length,
    presets,
    output: folder,
    ...(rejected.length === 0 ? {} : { leftOut: listed, moreLeftOut: more }),
    next: 'The job runs in the background. “status” shows its state, “wait” waits until it ends.',
  }
}

/** Writes a draft to the outbox. @returns the job's ID @throws Refused */
export async function startForAssistant(
  { context, access }: AssistantSession,
  draft: Draft,
): Promise<string> {
  const { service, environment, line } = context
  if (service.isRefused) throw new Refused(`Not submitted. ${connectionLine(line.connection.view(), t())}.`)
  // The user may have turned assistants off during the search for files.
  access.settings()
  const started = await line.drafts.startDraft(draft, {
    split: false,
    grace: 0,
    by: 'assistant',
    confirmed: ['manyFolders'],
    ...(service.isApps ? {} : { target: service.identity }),
  })
  if (!started.ok)
    throw new Refused(
      `Not submitted. ${started.problems.map((problem) => shownText(draftProblemSentence(problem, t()))).join(' ')}`,
    )
  environment.owner.needService()
  const [job] = started.jobs
  if (job === undefined) throw new Refused('Not submitted. There is nothing to process.')
  return job
}
