/** `submit FILE --output -`: processes one photo and writes the result to stdout. Doesn't use the outbox or the history. */
import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import { createReadStream } from 'node:fs'
import { join } from 'node:path'
import { reasonWords } from '../../../shared/i18n/sentences.ts'
import type { Preset } from '../../../shared/preset/preset.ts'
import type { Trials } from '../../estimate/estimate.ts'
import type { Context } from '../context.ts'
import { usageError } from '../exit-code.ts'
import { uselessSetting } from '../one-off-preset.ts'
import type { OneOffSetting } from '../one-off-settings.ts'
import { t } from '../output/language.ts'
import { removeDeadPipes, removeStream, STREAM, streamFolder, takeFromStdin } from '../stdin-photo.ts'
import { takeOnePhoto } from '../take-in.ts'
import { presetsNamed, trialsIn } from '../trial-worker.ts'
import { endWith } from '../output/events.ts'

export async function filterPhoto(
  context: Context,
  options: {
    /** `-` for stdin. */
    readonly file: string
    /** null for the basic defaults. */
    readonly preset: string | null
    /** The preset with the command's changes; undefined if the command changes nothing. */
    readonly changed: Preset | undefined
    /** The settings in `changed`. */
    readonly settings: readonly OneOffSetting[]
  },
): Promise<ExitCode> {
  const { file, preset: name, changed, settings } = options
  const { environment, service, report } = context
  const { stdout } = environment
  if (service.kind === 'external') return usageError(environment, t().usage.stdoutBuiltIn)
  if (stdout.binary === null) return usageError(environment, t().usage.stdoutClosed)
  const [preset] = await presetsNamed(environment, [name], changed)
  if (preset === undefined) {
    report.say({ event: 'notPossible', problem: { code: 'presetUnknown', preset: name ?? '' } })
    return EXIT.failed
  }
  const { image } = preset
  if (image === undefined) {
    const problem = { code: 'presetNotFor', preset: name ?? '', kind: 'photos' } as const
    report.say({ event: 'notPossible', problem })
    return EXIT.failed
  }
  await removeDeadPipes(environment)
  const folder = streamFolder(environment, 'pipes')
  try {
    const taken = file === STREAM ? await takeFromStdin(context, folder) : await takeOnePhoto(context, file)
    if (!taken.ok) return taken.code
    const useless = uselessSetting({ kind: 'files', items: [taken.item] }, changed, settings)
    if (useless !== undefined) return usageError(environment, useless)
    const recipe = { kind: 'image', image } as const
    const { neverLarger, keepBelowQuality } = preset.results
    const task = { path: taken.item.path, recipe, neverLarger, keepBelowQuality }
    return await write(context, join(folder, 'result'), task, stdout.binary)
  } finally {
    await removeStream(folder)
  }
}

async function write(
  { environment, report, waits }: Context,
  folder: string,
  task: Parameters<Trials['process']>[0],
  binary: NonNullable<Context['environment']['stdout']['binary']>,
): Promise<ExitCode> {
  const { interrupted } = environment
  const trials = trialsIn(folder, 'jobs', environment)
  try {
    const message = t().waits.photo
    const answer = await waits.during({ reason: 'working', message }, () => trials.process(task, interrupted))
    if (answer.kind === 'finished') {
      const isRead = await binary(createReadStream(answer.file.temporaryPath))
      return isRead ? EXIT.done : EXIT.interrupted
    }
    const why = reasonWords('', { failure: answer.failure ?? undefined }, t())
    return endWith(report, t().answers.photoFailed({ why }))
  } catch (error) {
    if (error === interrupted.reason) return EXIT.interrupted
    throw error
  } finally {
    trials.close()
  }
}
