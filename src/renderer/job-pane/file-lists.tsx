import type { ComponentChildren } from 'preact'
import type { MediaItem } from '../../shared/model/media-item.ts'
import type { PartAt, PartTitle } from '../../shared/model/job.ts'
import { shortPath } from '../../shared/i18n/names.ts'
import { phaseWord } from '../../shared/i18n/activity.ts'
import { presetTitle, reasonWords } from '../../shared/i18n/sentences.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { isInVault } from '../../shared/model/replacement.ts'
import { baseName } from '../../shared/paths.ts'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useViewTranslation, useView } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'
import { Section } from './summary.tsx'
import './file-lists.css'

type InputListProps = {
  readonly inputs: readonly MediaItem[]
  /** The part, if it is running. Used to mark files as done, current or waiting. */
  readonly running?: PartAt<'service'> | undefined
}

/** The originals with a heading, the preset and the output folder. */
export function InputSection(
  props: InputListProps & {
    readonly part: PartTitle
    readonly count: string
  },
) {
  const { part, count, inputs, running } = props
  const { app, t } = useView()
  const preset = presetTitle(part.preset, t)
  if (inputs.length === 0) return null
  return (
    <Section
      title={t.details.files}
      count={count}
      end={
        <p class="hint truncate">
          {part.output?.kind === 'folder' && isInVault(part.output.path)
            ? t.replacedJob.replaces({ preset })
            : part.output?.kind === 'folder'
              ? t.details.toFolder({ preset, folder: shortPath(part.output.path, app.facts.homeFolder) })
              : preset}
        </p>
      }
    >
      <InputList inputs={inputs} running={running} />
    </Section>
  )
}

/** The originals. A file gets a check mark only after the service has reported its result. */
export function InputList({ inputs, running }: InputListProps) {
  const t = useViewTranslation()
  const done = new Set(running?.doneFiles)
  const stateOfFile = (name: string): 'plain' | 'done' | 'current' | 'waiting' => {
    if (running === undefined) return 'plain'
    if (done.has(name)) return 'done'
    return running.progress.fileName === name ? 'current' : 'waiting'
  }
  return (
    <RovingRows
      class="file-list"
      items={inputs}
      rowHeight={40}
      label={t.details.files}
      row={(input, place) => {
        const state = stateOfFile(input.name)
        return (
          <li key={input.path} class="file-row" {...place}>
            <Thumbnail path={input.path} video={input.kind === 'video'} small />
            <Name name={input.name} />
            <span class={`file-size ${state === 'waiting' ? 'waiting' : ''}`}>
              {state === 'current' ? phaseWord(running?.progress.phase ?? null, t) : t.size(input.size)}
            </span>
            {state !== 'plain' && (
              <span class="file-row-end">
                {state === 'done' && <Icon name="check" class="status-icon success" />}
                {state === 'current' && <Icon name="arrow" class="status-icon" />}
                {state === 'waiting' && <Icon name="queue" class="status-icon" />}
              </span>
            )}
          </li>
        )
      }}
    />
  )
}

/** The list of problems, with their number in its heading. */
export function ProblemSection(
  props: ProblemListProps & {
    readonly title?: string
    readonly end?: ComponentChildren
  },
) {
  const { problems, inputs, title, end } = props
  const t = useViewTranslation()
  if (problems.length === 0) return null
  return (
    <Section title={title ?? t.details.problems} count={t.number(problems.length)} end={end}>
      <ProblemList problems={problems} inputs={inputs} />
    </Section>
  )
}

type ProblemListProps = { readonly problems: readonly FileError[]; readonly inputs: readonly MediaItem[] }

export function ProblemList({ problems, inputs }: ProblemListProps) {
  const { app, t } = useView()
  return (
    <RovingRows
      class="file-list"
      items={problems}
      rowHeight={48}
      wraps
      label={t.details.problems}
      row={(problem, place) => {
        const words = reasonWords(problem.error, problem, t)
        const input = inputs.find(
          ({ path, name }) => path === problem.file || name === baseName(problem.file),
        )
        return (
          <li key={place['data-index']} class="file-row two-line" {...place}>
            <Thumbnail path={input?.path ?? null} video={input?.kind === 'video'} small />
            <span class="row-text">
              {problem.file !== '' && <Name name={baseName(problem.file)} />}
              <span class="hint error block truncate selectable" title={words}>
                {words}
              </span>
            </span>
            <span />
            <span class="file-row-end">
              {input && (
                <IconButton
                  icon="reveal"
                  label={t.actions.showOriginal}
                  skipTab={place.tabIndex !== 0}
                  onPress={() => void app.attempt(app.bridge.files.reveal(input.path))}
                />
              )}
            </span>
          </li>
        )
      }}
    />
  )
}
