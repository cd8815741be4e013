import { shownSentence } from '../../shared/paths.ts'
import type { Timing } from '../../node/timing.ts'
import type { Line } from '../core/index.ts'
import { readPresets } from '../presets/presets.ts'
import type { Context } from './context.ts'
import { type Places, presetFolder } from '../../node/data-folder.ts'
import { followPath } from './follow-path.ts'
import { notice, type Report } from './output/events.ts'
import { t } from './output/language.ts'

/** How often to ask an external service for its presets, in ms. */
const ASK_MS = 30_000

type Following = {
  readonly service: Pick<Context['service'], 'kind'>
  readonly environment: Places & { readonly timing: Pick<Timing, 'after'> }
  readonly report: Pick<Report, 'say'>
}

/**
 * Follows changes to the service's presets while a command runs. For the built-in service, also reports presets that can't be read.
 * @returns a function that stops following
 */
export function followPresets(
  { service, environment, report }: Following,
  { connection }: { readonly connection: Pick<Line['connection'], 'refreshPresets'> },
): () => void {
  if (service.kind === 'external') return refreshing(environment.timing, connection)
  const damaged = createDamagedPresets({ environment, report })
  const reportDamaged = () => void damaged.check().catch(() => undefined)
  reportDamaged()
  return followPath(presetFolder(environment), environment.timing, {
    changed: () => void connection.refreshPresets(),
    stable: reportDamaged,
  })
}

function refreshing(
  { after }: Pick<Timing, 'after'>,
  connection: Pick<Line['connection'], 'refreshPresets'>,
): () => void {
  let cancel = after(ASK_MS, ask)
  function ask(): void {
    void connection.refreshPresets()
    cancel = after(ASK_MS, ask)
  }
  return () => cancel()
}

/** Reports presets that the service omits because it can't read them. Reports each one again only if its problem changes. */
export function createDamagedPresets({ environment, report }: Pick<Following, 'environment' | 'report'>) {
  const folder = presetFolder(environment)
  let reported: ReadonlySet<string> = new Set()
  return {
    /** @returns whether there are damaged presets */
    async check(): Promise<boolean> {
      const words = (await readPresets(folder)).flatMap(({ name, problems: [first] }) => {
        if (first === undefined) return []
        const reason = [first.field, first.message].filter(Boolean).join(' ')
        return [shownSentence(t().serviceReport.presetDamaged({ name, folder, reason }))]
      })
      for (const one of words) if (!reported.has(one)) report.say(notice(one))
      reported = new Set(words)
      return words.length > 0
    },
  }
}
