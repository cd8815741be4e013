import type { PartDetails } from '../../shared/model/job.ts'
import { Button } from '../ui/button.tsx'
import { Icon } from '../ui/icon.tsx'
import { useView } from '../store/app.ts'
import { reportedText } from '../../shared/i18n/failures.ts'
import { noteSentence } from '../../shared/i18n/sentences.ts'
import { exactTime } from '../store/dates.ts'
import { shownService } from '../store/services.ts'

/** Exact times, IDs, paths and the service's own messages. */
export function Facts({ details, open = false }: { readonly details: PartDetails; readonly open?: boolean }) {
  const { app, t } = useView()
  const rows = factsOf()
  return (
    <details
      class="section"
      open={open}
      // Scroll the facts into view, because they may open below the visible part.
      onToggle={({ currentTarget }) => {
        if (currentTarget.matches(':focus-within')) currentTarget.scrollIntoView({ block: 'nearest' })
      }}
    >
      <summary>
        <Icon name="forward" class="small" />
        {t.details.facts}
      </summary>
      <dl class="facts">
        {rows.map(([name, value, mono]) => (
          <>
            <dt>{name}</dt>
            <dd class={`selectable ${mono ? 'mono' : 'numeric'}`}>{value}</dd>
          </>
        ))}
      </dl>
      <Button
        label={t.details.copyJson}
        icon="copy"
        class="copy-details"
        onPress={() =>
          void app
            .attempt(app.bridge.app.copyText(JSON.stringify(details, null, 2)))
            .then(() => app.toasts.show(t.details.copiedJson))
        }
      />
    </details>
  )

  function timeOf(at: number | null): string {
    return at === null ? '' : exactTime(app, at)
  }

  function factsOf(): readonly (readonly [name: string, value: string, mono: boolean])[] {
    const { facts, output } = details
    const named = shownService(app, details)
    const address = facts.service === 'builtIn' ? t.facts.builtIn : (facts.baseUrl ?? '')
    const isNamed = named !== undefined && facts.service === 'external'
    const service = isNamed && !address.includes(named) ? t.listed([named, address]) : address
    const folder = commonFolder(details)
    const all: readonly (readonly [string, string, boolean])[] = [
      [t.facts.job, facts.jobId ?? '', true],
      [t.facts.created, timeOf(details.createdAt), false],
      [t.facts.sent, timeOf(facts.acceptedAt), false],
      [t.facts.started, timeOf(facts.startedAt), false],
      [t.facts.finished, timeOf(details.endedAt), false],
      // Show the stored name of a task. Other places show its name in the user's language.
      [t.facts.preset, details.preset ?? '', false],
      [t.facts.service, service, facts.service !== 'builtIn'],
      [t.facts.input, details.driveInput ?? folder, true],
      [t.facts.output, output?.kind === 'folder' ? output.path : '', true],
      [t.facts.driveFolder, output?.kind === 'drive' ? output.folderId : '', true],
      [t.facts.variations, t.number(details.variations), false],
      [t.facts.notes, t.sentences(facts.notes.map((entry) => noteSentence(entry, t))), false],
      [t.facts.message, reportedText(facts.serviceText ?? '', { failure: facts.serviceFailure }, t), true],
    ]
    return all.filter(([, value]) => value !== '')
  }
}

const folderOf = (path: string): string =>
  path.slice(0, Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')))

/** Returns the folder of the originals if they are all in the same folder, otherwise ''. */
function commonFolder({ inputs }: PartDetails): string {
  const first = inputs[0]
  if (first === undefined) return ''
  const folder = folderOf(first.path)
  return inputs.every(({ path }) => folderOf(path) === folder) ? folder : ''
}
