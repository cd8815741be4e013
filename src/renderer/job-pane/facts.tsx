import type { RecordDetails } from '../../shared/model/work.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useApp, useWords } from '../store/app.ts'
import { exactTime } from './when.ts'

/** Everything in plain figures and in the service's own words; the only place where ids and raw texts are shown. */
export function Facts({
  details,
  open = false,
}: {
  readonly details: RecordDetails
  readonly open?: boolean
}) {
  const app = useApp()
  const { w, wording } = useWords()
  const rows = factsOf()
  return (
    <details class="section" open={open}>
      <summary>
        <Icon name="forward" class="small" />
        {w.details.facts}
      </summary>
      <dl class="facts">
        {rows.map(([name, value, mono]) => (
          <>
            <dt>{name}</dt>
            <dd class={`pick ${mono ? 'mono' : 'num'}`}>{value}</dd>
          </>
        ))}
      </dl>
      <Button
        label={w.details.copyJson}
        icon="copy"
        class="after"
        onPress={() =>
          void app
            .attempt(app.bridge.app.copyText(JSON.stringify(details, null, 2)))
            .then(() => app.toasts.show({ text: w.details.copiedJson, actions: [] }))
        }
      />
    </details>
  )

  function timeOf(at: number | null): string {
    return at === null ? '' : exactTime(app, at)
  }

  function factsOf(): readonly (readonly [name: string, value: string, mono: boolean])[] {
    const { facts, output } = details
    const service = facts.service === 'builtIn' ? w.facts.builtIn : (facts.baseUrl ?? '')
    const folder = commonFolder(details)
    const all: readonly (readonly [string, string, boolean])[] = [
      [w.facts.job, facts.jobId ?? '', true],
      [w.facts.created, timeOf(details.createdAt), false],
      [w.facts.sent, timeOf(facts.acceptedAt), false],
      [w.facts.started, timeOf(facts.startedAt), false],
      [w.facts.finished, timeOf(details.endedAt), false],
      [w.facts.service, service, facts.service !== 'builtIn'],
      [w.facts.input, details.driveInput ?? folder, true],
      [w.facts.output, output?.kind === 'folder' ? output.path : '', true],
      [w.facts.driveFolder, output?.kind === 'drive' ? output.folderId : '', true],
      [w.facts.variations, wording.number(details.variations), false],
      [w.facts.message, facts.serviceText ?? '', true],
    ]
    return all.filter(([, value]) => value !== '')
  }
}

const folderOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')))

/** The folder of the first original, where all lie in it. */
function commonFolder({ inputs }: RecordDetails): string {
  const first = inputs[0]
  if (first === undefined) return ''
  const folder = folderOf(first.path)
  return inputs.every(({ path }) => folderOf(path) === folder) ? folder : ''
}
