import type { MediaItem } from '../../shared/model/media-item.ts'
import type { ActiveJob } from '../../shared/model/work.ts'
import { phaseWord } from '../../shared/i18n/sentences.ts'
import { Icon } from '../ui/icon.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useTranslation } from '../store/app.ts'

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
