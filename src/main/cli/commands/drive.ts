/** The cloud drive of the built-in service: which there are, which is used, and whether it answers. No service is asked. */
import type { Command } from 'commander'
import { join, resolve } from 'node:path'
import { createDriveSetup, type DriveSetup, DriveSetupError } from '../../drive/drive.ts'
import { driveProblemSentence } from '../../../shared/i18n/sentences.ts'
import type { CliCommand, Context } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { EXIT, type ExitCode } from '../exit-code.ts'
import { t } from '../output/words.ts'

type Run = <Options>(command: CliCommand<Options>, options: Options) => Promise<void>

/** Adds `drive remotes|use|status`. */
export function addDriveCommand(program: Command, run: Run): void {
  const drive = program
    .command('drive')
    .description('the cloud drive of the built-in service, through rclone')
  drive
    .command('remotes')
    .description('the connections that rclone has, and which of them is used')
    .action(() => run(remotes, {}))
  drive
    .command('use')
    .description('use a connection of rclone, also by a service that runs')
    .argument('[name]')
    .option('--none', 'use no cloud drive')
    .action(async (name: string | undefined, { none }: { none?: boolean }, command: Command) => {
      if ((name !== undefined) === (none === true)) command.error('error: give a name, or --none')
      await run(use, { name: name?.replace(/:$/, '') ?? null })
    })
  drive
    .command('status')
    .description('whether the connection in use answers')
    .action(() => run(driveStatus, {}))
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
      reason: check.ok ? null : driveProblemSentence(check.problem, t),
    })
    return check.ok ? EXIT.done : EXIT.failed
  })

async function withSetup(
  { environment, report }: Context,
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
    return await work(setup)
  } catch (error) {
    if (!(error instanceof DriveSetupError)) throw error
    report.say({ event: 'notice', message: driveProblemSentence(error.problem, t) })
    return EXIT.failed
  }
}
