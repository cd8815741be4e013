import type { FileError } from '../../shared/api/resources.ts'
import type { MediaItem } from '../../shared/model/media-item.ts'
import { IconButton } from '../ui/button.tsx'
import { Name } from '../ui/name.tsx'
import { RovingRows } from '../ui/roving-rows.tsx'
import { Thumbnail } from '../ui/thumbnail.tsx'
import { useApp, useTranslation } from '../store/app.ts'
import { baseName } from '../../shared/paths.ts'

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
