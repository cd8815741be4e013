import { EXIT, type ExitCode } from '../../../shared/command-end.ts'
import type { Command } from 'commander'
import { authorizationHeader, type BaseUrl } from '../../service-api/index.ts'
import type { CliCommand, Context, Run } from '../context.ts'
import { dataFolder } from '../environment.ts'
import { exitCodeOfError } from '../exit-code.ts'
import { t } from '../output/language.ts'
import { endWith, notice } from '../output/events.ts'
import { startOf } from './service.ts'

/** Adds `check-service`, whose argument selects the service like `--base-url`. */
export function addCheckService(program: Command, run: Run): void {
  program
    .command('check-service')
    .argument('[url]')
    .option('--fill-queue')
    .action((url: string | undefined, { fillQueue }: { fillQueue?: boolean }) => {
      if (url !== undefined) program.setOptionValue('baseUrl', url)
      return run(checkService, { fillQueue: fillQueue === true })
    })
}

const checkService: CliCommand<{ readonly fillQueue: boolean }> = async (context, { fillQueue }) => {
  const { report, waits, environment } = context
  const reached = await reachedService(context)
  if ('code' in reached) return reached.code
  const conformance = await import('../../conformance/index.ts')
  const counts = { passed: 0, failed: 0, notChecked: 0 }
  const message = t().waits.response({ address: reached.baseUrl.href })
  const { ending, leftJobs } = await waits.during({ reason: 'notAnswered', message }, () =>
    conformance.checkService({
      ...reached,
      dataDir: dataFolder(environment),
      timing: environment.timing,
      interrupted: environment.interrupted,
      mayFillQueue: fillQueue,
      onResult(result) {
        counts[result.outcome]++
        report.say({ event: 'check', ...result })
      },
      whileBusy: (work) => waits.during({ reason: 'working', message: t().waits.otherJobs }, work),
    }),
  )
  if (ending.kind === 'done' || leftJobs.length > 0) report.say({ event: 'checked', ...counts, leftJobs })
  if ('message' in ending) report.say(notice(ending.message))
  if (ending.kind === 'done') return counts.failed > 0 ? EXIT.failed : EXIT.done
  return { notReachable: EXIT.notReachable, keyRefused: EXIT.keyRefused, interrupted: EXIT.interrupted }[
    ending.kind
  ]
}

type Reached = { readonly baseUrl: BaseUrl; readonly key: string } | { readonly code: ExitCode }

async function reachedService({ service, report, waits }: Context): Promise<Reached> {
  const reached = await waits.during(startOf(service), () => service.reach())
  if (!reached.ok) return { code: endWith(report, reached.message, EXIT.notReachable) }
  const { baseUrl, key = '' } = reached
  const usable = authorizationHeader(key)
  if (usable.ok) return { baseUrl, key }
  report.say({ event: 'error', error: usable.error })
  return { code: exitCodeOfError(usable.error) }
}
