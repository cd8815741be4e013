import type { ChosenService } from './service-choice.ts'
import type { ExitCode } from './exit-code.ts'
import type { OpenCore } from './open-core.ts'
import type { Report } from './output/index.ts'
import type { Surroundings } from './environment.ts'

/** What every verb works with. */
export type Context = {
  readonly service: ChosenService
  readonly report: Report
  readonly surroundings: Surroundings
  /** The app's own rooms, on the app's own files; closed when the verb has ended, if not before. */
  readonly openCore: OpenCore
}

export type Verb<Options = Record<string, never>> = (context: Context, options: Options) => Promise<ExitCode>
