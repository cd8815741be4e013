import type { MediaItem } from '../../shared/model/media-item.ts'
import type { ActiveJob } from '../../shared/model/work.ts'
import { phaseWord } from '../../shared/i18n/sentences.ts'
import type { FileError } from '../../shared/api/resources.ts'
import { baseName } from '../../shared/paths.ts'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useTranslation, useApp } from '../store/app.ts'
import { IconButton } from '../ui/button.tsx'

type InputListProps = {
  readonly inputs: readonly MediaItem[]
  /** While it runs: which files are done and which is the current one. */
  readonly job?: ActiveJob
}

/** The originals. A tick only where the service has named the result. */
export function InputList({ inputs, job }: InputListProps) {
  const t = useTranslation()
  const done = new Set(job?.doneFiles)
  const stateOfFile = (name: string): 'plain' | 'done' | 'current' | 'waiting' => {
    if (job === undefined) return 'plain'
    if (done.has(name)) return 'done'
    return job.progress.fileName === name ? 'current' : 'waiting'
  }
  return (
    <RovingRows
      class="list"
      count={inputs.length}
      rowHeight={40}
      label={t.details.files}
      row={(index, place) => {
        const input = inputs[index]
        if (input === undefined) return null
        const state = stateOfFile(input.name)
        return (
          <li key={input.path} class="item" {...place}>
            <Thumbnail path={input.path} video={input.kind === 'video'} small />
            <Name name={input.name} />
            <span class={`size ${state === 'waiting' ? 'wait' : ''}`}>
              {state === 'current' ? phaseWord(job?.progress.phase ?? null, t) : t.size(input.size)}
            </span>
            {state !== 'plain' && (
              <span class="ends">
                {state === 'done' && <Icon name="check" class="sign good" />}
                {state === 'current' && <Icon name="arrow" class="sign" />}
                {state === 'waiting' && <Icon name="queue" class="sign" />}
              </span>
            )}
          </li>
        )
      }}
    />
  )
}

type ProblemListProps = { readonly problems: readonly FileError[]; readonly inputs: readonly MediaItem[] }

/** A file and what went wrong with it, in the service's own words. */
export function ProblemList({ problems, inputs }: ProblemListProps) {
  const app = useApp()
  const t = useTranslation()
  return (
    <RovingRows
      class="list"
      count={problems.length}
      rowHeight={48}
      wraps
      label={t.details.problems}
      row={(index, place) => {
        const problem = problems[index]
        if (problem === undefined) return null
        const input = inputs.find(
          ({ path, name }) => path === problem.file || name === baseName(problem.file),
        )
        return (
          <li key={index} class="item tall" {...place}>
            <Thumbnail path={input?.path ?? null} video={input?.kind === 'video'} small />
            <span class="words">
              {problem.file !== '' && <Name name={baseName(problem.file)} />}
              <span class="hint bad block clip pick" title={problem.error}>
                {problem.error}
              </span>
            </span>
            <span />
            <span class="ends">
              {input && (
                <IconButton
                  icon="reveal"
                  label={t.actions.showOriginal}
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
