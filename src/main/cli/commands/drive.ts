/** Lists, selects and checks the built-in service's cloud drive. Uses rclone directly, so the service doesn't have to run. */
import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import type { Command } from 'commander'
import { join, resolve } from 'node:path'
import { createDriveSetup, type DriveSetup, DriveSetupError } from '../../drive/drive.ts'
import { driveProblemSentence } from '../../../shared/i18n/problem-sentences.ts'
import type { CliCommand, Context, Run } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { t } from '../output/language.ts'
import { endWith } from '../output/events.ts'

export function addDriveCommand(program: Command, run: Run): void {
  const drive = program.command('drive')
  drive.command('remotes').action(() => run(remotes, {}))
  drive
    .command('use')
    .argument('[name]')
    .option('--none')
    .action(async (name: string | undefined, { none }: { none?: boolean }, command: Command) => {
      if ((name !== undefined) === (none === true))
        command.error(t().usage.error({ why: t().usage.remoteOrNone }))
      await run(use, { name: name?.replace(/:$/, '') ?? null })
    })
  drive
    .command('folders')
    .argument('[id]')
    .action((id: string | undefined) => run(folders, { id: id ?? null }))
  drive.command('status').action(() => run(driveStatus, {}))
}

const remotes: CliCommand = (context) =>
  withSetup(context, async (setup) => {
    const view = await setup.setup()
    context.report.say({ event: 'driveSetup', ...view })
    return view.rclone.found ? EXIT.done : EXIT.failed
  })

const use: CliCommand<{ readonly name: string | null }> = (context, { name }) =>
  withSetup(context, async (setup) => {
    await setup.useRemote(name)
    context.report.say({ event: 'driveChosen', name })
    return EXIT.done
  })

const driveStatus: CliCommand = (context) =>
  withSetup(context, async (setup) => {
    const [{ chosen }, check] = await Promise.all([setup.setup(), setup.checkRemote()])
    context.report.say({
      event: 'driveStatus',
      chosen,
      connected: check.ok,
      reason: check.ok ? null : driveProblemSentence(check.problem, t()),
    })
    return check.ok ? EXIT.done : EXIT.failed
  })

const folders: CliCommand<{ readonly id: string | null }> = (context, { id }) =>
  withSetup(context, async (setup) => {
    const listed = await setup.listFolders(id, context.environment.interrupted)
    if (context.environment.interrupted.aborted) return EXIT.interrupted
    if (!listed.ok) throw new DriveSetupError(listed.problem)
    context.report.say({ event: 'driveFolders', id: listed.id, folders: listed.folders })
    return EXIT.done
  })

async function withSetup(
  { environment, report, waits }: Context,
  work: (setup: DriveSetup) => Promise<ExitCode>,
): Promise<ExitCode> {
  const { env, platform, cwd } = environment
  const rclone = env['MEDIATRAY_RCLONE']
  const setup = createDriveSetup({
    dataDir: join(dataFolder(environment), 'service'),
    rclonePath: () => (rclone ? resolve(cwd, rclone) : null),
    isBuiltIn: () => true,
    env,
    platform,
  })
  try {
    return await waits.during({ reason: 'service', message: t().waits.rclone }, () => work(setup))
  } catch (error) {
    if (!(error instanceof DriveSetupError)) throw error
    return endWith(report, driveProblemSentence(error.problem, t()))
  }
}
